/** Debian's Chromium without its background traffic: every request that it sends comes from the page. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'

/** One line that names the missing program; undefined if none is missing. In CI nothing may be missing. */
export const browserMissing = (): string | undefined => {
  if (existsSync(CHROMIUM)) return undefined
  const missing = `No browser at ${CHROMIUM}: apt-get install chromium`
  if (process.env.CI !== undefined) throw new Error(missing)
  return missing
}

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
