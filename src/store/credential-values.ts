/** What a credential holds, sealed on the way into the store and opened on the way out. */
import type { CredentialValues } from '../definition/connector.ts'
import type { Vault } from './vault.ts'

interface CredentialPlace {
  readonly id: string
  readonly environmentId: string
}

/** As it is stored in `sealedValues`. */
export const sealValues = (
  vault: Vault,
  { id, environmentId }: CredentialPlace,
  values: CredentialValues,
): Uint8Array<ArrayBuffer> =>
  vault.seal({ kind: 'credential', environmentId, id }, JSON.stringify(values))

/** @throws VaultError */
export const openValues = (
  vault: Vault,
  {
    id,
    environmentId,
    sealedValues,
    values,
  }: CredentialPlace & { readonly sealedValues: Uint8Array | null; readonly values: unknown },
): CredentialValues => {
  // Both are JSON that createCredential wrote. In plain text: by an earlier version that still runs.
  if (values !== null) return values as CredentialValues
  if (sealedValues === null) throw new Error(`The credential ${id} holds nothing.`)
  return JSON.parse(
    vault.open({ kind: 'credential', environmentId, id }, sealedValues),
  ) as CredentialValues
}
