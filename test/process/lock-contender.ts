/** A process that tries to lock a data directory on request of its parent, and reports the outcome. */
import {
  DataDirectoryInUseError,
  lockDataDirectory,
} from '../../src/store/database/embedded/data-directory-lock.ts'

/** `heldBy`: the pid in the error. */
export type LockOutcome = { readonly held: true } | { readonly held: false; heldBy?: number }

const [dataDir = ''] = process.argv.slice(2)
const report = (outcome: LockOutcome) => process.send?.(outcome)

if (import.meta.main) {
  process.once('disconnect', () => process.exit())
  process.on('message', async () => {
    try {
      await lockDataDirectory(dataDir)
      report({ held: true })
    } catch (error) {
      if (!(error instanceof DataDirectoryInUseError)) throw error
      report({ held: false, ...(error.holder && { heldBy: error.holder.pid }) })
    }
  })
  process.send?.('ready')
}
