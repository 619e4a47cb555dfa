/** Encryption and decryption of credential values. */
import type { CredentialValues } from '../../definition/connector.ts'
import type { Vault } from '../secrets/vault.ts'

interface CredentialPlace {
  readonly id: string
  readonly environmentId: string
}

/** Encrypts values for the column `sealedValues`. */
export const sealValues = (
  vault: Vault,
  { id, environmentId }: CredentialPlace,
  values: CredentialValues,
): Uint8Array<ArrayBuffer> =>
  vault.seal({ kind: 'credential', environmentId, id }, JSON.stringify(values))

/** Decrypts the values of a credential. @throws VaultError */
export const openValues = (
  vault: Vault,
  {
    id,
    environmentId,
    sealedValues,
    values,
  }: CredentialPlace & { readonly sealedValues: Uint8Array | null; readonly values: unknown },
): CredentialValues => {
  // Both are JSON that createCredential wrote. A process of an earlier version may still write plain text.
  if (values !== null) return values as CredentialValues
  if (sealedValues === null) throw new Error(`The credential ${id} has no stored values.`)
  return JSON.parse(
    vault.open({ kind: 'credential', environmentId, id }, sealedValues),
  ) as CredentialValues
}
