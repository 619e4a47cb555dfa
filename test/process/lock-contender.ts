/** A process that tries to lock a data directory whenever its parent says so, and tells the outcome. */
import { DataDirectoryInUseError, lockDataDirectory } from '../../src/store/data-directory-lock.ts'

/** `heldBy`: the pid in the refusal. */
export type LockOutcome = { readonly held: true } | { readonly held: false; heldBy?: number }

const [dataDir = ''] = process.argv.slice(2)
const tell = (outcome: LockOutcome) => process.send?.(outcome)

if (import.meta.main) {
  process.once('disconnect', () => process.exit())
  process.on('message', async () => {
    try {
      await lockDataDirectory(dataDir)
      tell({ held: true })
    } catch (error) {
      if (!(error instanceof DataDirectoryInUseError)) throw error
      tell({ held: false, ...(error.holder && { heldBy: error.holder.pid }) })
    }
  })
  process.send?.('ready')
}
