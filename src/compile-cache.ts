/**
 * Node's cache of compiled modules, beside the installed packages: `npm ci` of a clone fills it
 * (tools/fill-compile-cache.ts), so that the first start compiles nothing.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Enables the cache. A folder that cannot be written is ignored: every start then compiles again. */
export const useCompileCache = (): void => {
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
}
