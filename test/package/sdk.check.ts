/** The browser SDK in an integrator's build. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { ROOT, runOk } from './run.ts'

const [installation] = inject('installations')

const bundlePage = async (
  folder: string,
  name: string,
): Promise<{ code: string; path: string }> => {
  const page = join(folder, 'page.js')
  await writeFile(page, `export { createTrunkline } from '${name}'\n`)
  const build = await rolldown({ input: page, platform: 'browser' })
  const path = join(folder, 'bundle.mjs')
  const { output } = await build.write({ file: path, minify: true })
  await build.close()
  expect(output).toHaveLength(1)
  expect([output[0].imports, output[0].dynamicImports]).toEqual([[], []])
  return { code: output[0].code, path }
}

test('`trunkline/sdk` is bundled into one small script without other packages', async () => {
  const { code, path } = await bundlePage(installation?.folder ?? '', 'trunkline/sdk')
  expect(code.length).toBeLessThan(10_000)
  expect(code).not.toMatch(/node:|require\(/)
  const { createTrunkline } = await import(path)
  expect(() => createTrunkline({ url: 'https://example.com' }).setToken('')).toThrow(
    expect.objectContaining({ code: 'NO_TOKEN' }),
  )
})

test('the SDK is also a package of its own, without dependencies', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-sdk-'))
  const app = join(folder, 'app')
  await mkdir(app)
  const pack = ['npm', 'pack', '--json', '--pack-destination', folder, join(ROOT, 'dist/sdk')]
  const [{ filename }] = JSON.parse(await runOk(pack, { cwd: folder }))
  await runOk(['npm', 'install', '--offline', join(folder, filename)], { cwd: app })
  const listed = await runOk(['npm', 'ls', '--all', '--parseable'], { cwd: app })
  expect(listed.trim().split('\n').slice(1)).toEqual([join(app, 'node_modules/trunkline-sdk')])
  const { code } = await bundlePage(app, 'trunkline-sdk')
  expect(code.length).toBeLessThan(10_000)
  await rm(folder, { recursive: true })
})
