/** Loads the service once, so that its first start finds every module compiled. Run by `npm ci`. */
import { useCompileCache } from '../src/compile-cache.ts'

useCompileCache()
// Imported after the cache is enabled.
await import('../src/main.ts')
const { warmUp } = await import('../src/process/service.ts')
warmUp()
