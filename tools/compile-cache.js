/**
 * Enables Node's cache of compiled modules for a clone. Preloaded by `npm start`, because the cache serves only what
 * is imported later, and JavaScript, because loading Node's TypeScript compiler takes longer than the cache saves.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// A folder that cannot be written is ignored: every start then compiles again.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
