/** The service on its storage: first start, workers, API. main.ts imports it while PostgreSQL starts. */
import { buildSchema } from '../api/graphql/schema.ts'
import { catalogue } from '../generated/registry.ts'
import { generateFirstKey } from '../store/accounts/keys.ts'
import { loadCompiler } from '../store/database/database.ts'
import { startApi } from './api.ts'
import type { Config } from './config.ts'
import { prepareExampleTenants } from './example-tenants.ts'
import { type FirstStart, prepareFirstStart } from './first-start.ts'
import type { Role } from './role.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime.ts'
import { startWorkers } from './workers.ts'

export interface Service {
  /** `http://127.0.0.1:4000`; undefined for a worker, which does not listen. */
  readonly address: string | undefined
  readonly firstStart: FirstStart
  /** The first development key, which is shown once. Created last, so that a failed start does not lose it. */
  readonly newKey: string | undefined
}

/** Prepares what needs no database, while PostgreSQL starts. Of a new database, also the sandbox companies. */
export const warmUp = async (
  { sandbox }: Config,
  role: Role,
  isNew: boolean,
): Promise<Pick<RuntimeOptions, 'exampleTenants'>> => {
  if (role !== 'worker') buildSchema(catalogue)
  await loadCompiler()
  return sandbox && isNew ? { exampleTenants: await prepareExampleTenants() } : {}
}

const openApi = async (runtime: Runtime, firstStart: FirstStart) => {
  const { database, retry, progress } = runtime
  progress('Starting the API')
  const address = await startApi(runtime, firstStart)
  const [development] = firstStart.environmentIds
  const generated = await retry('generate the key', () => generateFirstKey(database, development))
  return { address, newKey: generated?.key }
}

/** Starts the parts of a role. @throws Error with the cause and the remedy */
export const startService = async (
  config: Config,
  role: Role,
  options: RuntimeOptions,
): Promise<Service> => {
  const runtime = await createRuntime(config, options)
  const { developmentKey } = config
  const firstStart = await runtime.retry('prepare the first start', () =>
    prepareFirstStart({ ...runtime, developmentKey }),
  )
  if (role !== 'api') await startWorkers(runtime, firstStart)
  const api = role === 'worker' ? undefined : await openApi(runtime, firstStart)
  options.metrics?.readAtScrape({ findUnreadiness: runtime.findUnreadiness })
  return { address: api?.address, firstStart, newKey: api?.newKey }
}
