/** API keys with the permissions that the manifest requires. */
import { act } from '../../apps/vendure/act.ts'
import type { Vendure } from '../../apps/vendure/start.ts'

export const READING = ['ReadOrder', 'ReadCustomer', 'ReadProduct'] as const

export const WRITING = [
  ...READING,
  'UpdateOrder',
  'CreateCustomer',
  'UpdateCustomer',
  'DeleteCustomer',
  'CreateProduct',
  'UpdateProduct',
  'DeleteProduct',
] as const

/** A key with exactly these permissions. */
export const createKey = async (
  vendure: Vendure,
  permissions: readonly string[],
): Promise<{ apiKey: string; entityId: string }> => {
  const { id } = await act<{ readonly id: string }>(
    vendure,
    'mutation ($input: CreateRoleInput!) { createRole(input: $input) { id } }',
    { input: { code: `trunkline-${permissions.length}`, description: 'Trunkline', permissions } },
  )
  return act(
    vendure,
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey entityId } }',
    { input: { roleIds: [id], translations: [{ languageCode: 'en', name: 'Connected' }] } },
  )
}
