/** Packs the package once and installs it in an empty folder on each supported Node. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createPlainEnvironment, ROOT, runOk, TOOLS } from './run.ts'

/** The folder of an installation, and an environment whose `node` has the version. */
export interface Installation {
  readonly node: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The paths of the packed files. */
    packed: readonly string[]
    /** Bytes of the tarball. */
    packedBytes: number
    installations: readonly Installation[]
  }
}

const NODES = [join(TOOLS, 'node-oldest/bin/node'), process.execPath]

const install = async (program: string, folder: string, tarball: string): Promise<Installation> => {
  const plain = createPlainEnvironment()
  const environment = { ...plain, PATH: `${dirname(program)}${delimiter}${plain.PATH ?? ''}` }
  await mkdir(folder)
  const options = { cwd: folder, env: environment }
  await runOk(['npm', 'install', '--prefer-offline', tarball], options)
  const node = (await runOk(['node', '--version'], options)).trim()
  return { node, folder, environment }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(TOOLS))
    throw new Error('The tools are not installed. Run npm ci --prefix test/package.')
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-package-'))
  const command = ['npm', 'pack', '--json', '--pack-destination', folder]
  const output = await runOk(command, { cwd: ROOT })
  // The scripts of the package print before the JSON.
  const [{ filename, size, files }] = JSON.parse(output.slice(output.indexOf('[\n')))
  project.provide('packedBytes', size)
  project.provide(
    'packed',
    files.map(({ path }: { readonly path: string }) => path),
  )
  const tarball = join(folder, filename)
  project.provide(
    'installations',
    await Promise.all(
      NODES.map((program, index) => install(program, join(folder, `app-${index}`), tarball)),
    ),
  )
  return () => rm(folder, { recursive: true })
}
