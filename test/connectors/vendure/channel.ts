/** A second channel of a shop, with a key created in it. */
import { act } from '../../apps/vendure/act.ts'
import { sendOperation } from '../../apps/vendure/operation.ts'
import type { Vendure } from '../../apps/vendure/start.ts'
import { READING } from './key.ts'

/** The access data of a channel. */
export interface ChannelAccess {
  readonly channelId: string
  readonly channelToken: string
  readonly apiKey: string
  readonly entityId: string
}

const create = (vendure: Vendure, what: string, input: object): Promise<{ readonly id: string }> =>
  act(
    vendure,
    `mutation ($input: Create${what}Input!) { create${what}(input: $input) { ... on Node { id } } }`,
    { input },
  )

/** A key grants access to the channel of its creation, so an unrestricted session creates it there. */
export const openChannel = async (vendure: Vendure, code: string): Promise<ChannelAccess> => {
  const { id: sellerId } = await create(vendure, 'Seller', { name: code })
  const { zones } = await vendure.admin<{ zones: { items: { id: string }[] } }>(
    '{ zones { items { id } } }',
  )
  const zone = zones.items[0]?.id
  const { id: channelId } = await create(vendure, 'Channel', {
    code,
    token: code,
    sellerId,
    pricesIncludeTax: false,
    defaultLanguageCode: 'en',
    defaultCurrencyCode: 'EUR',
    defaultTaxZoneId: zone,
    defaultShippingZoneId: zone,
  })
  const { id: roleId } = await create(vendure, 'Role', {
    code,
    description: code,
    permissions: READING,
    channelIds: [channelId],
  })
  const url = `${vendure.url}/admin-api`
  const logIn = 'mutation { login(username: "superadmin", password: "superadmin") { __typename } }'
  const { token } = await sendOperation({ url, query: logIn })
  const input = { roleIds: [roleId], translations: [{ languageCode: 'en', name: code }] }
  const { data } = await sendOperation({
    url,
    variables: { input },
    query:
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey entityId } }',
    headers: { authorization: `Bearer ${token}`, 'vendure-token': code },
  })
  const { createApiKey } = data as { createApiKey: { apiKey: string; entityId: string } }
  return { ...createApiKey, channelId, channelToken: code }
}
