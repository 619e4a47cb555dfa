/** Debian's Chromium, driven with its background traffic off: what it then asks for is what the page asks for. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = '/usr/bin/chromium'

/** What is missing, in one line; undefined if nothing is. In CI nothing may be. */
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
