/** Shipped lines of an order: the order keeps them, and its fulfillments can always be changed. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '../../src/definition/connector.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { type TenantWrites, tenantWrites, type Written } from './writing.ts'

const ORDERS = 'commerce/orders'
const FULFILLMENTS = 'commerce/fulfillments'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

interface Line {
  readonly id: string
  readonly quantity: number
}

const linesOf = ({ raw }: Written): readonly Line[] => raw.lineItems as Line[]

/** Lines of products 1 to 4, which have one variant each. */
const lineOf = (product: number, quantity: number): Json => ({
  productId: `prd_000${product}`,
  variantId: `var_00${['01', '05', '09', '13'][product - 1]}`,
  quantity,
})

const order = (...quantities: readonly number[]) =>
  writes.create(ORDERS, {
    lineItems: quantities.map((quantity, index) => lineOf(index + 1, quantity)),
  })

const ship = (orderId: string, lines: readonly Line[]) =>
  writes.create(FULFILLMENTS, {
    orderId,
    lineItems: lines.map(({ id, quantity }) => ({ lineItemId: id, quantity })),
  })

const readRecord = async (topic: string, { raw }: Written): Promise<Written> => {
  const found = await writes.get(topic, raw.id)
  if (!found) throw new Error(`${raw.id} is gone.`)
  return found
}

/** The lines of a fulfillment as a caller reads them and sends them back. */
const linesToSendBack = ({ raw }: Written): Json => raw.lineItems as Record<string, Json>[]

test('rejects an order update that drops a shipped line, and names the line', async () => {
  const created = await order(2, 3)
  const [first] = linesOf(created)
  if (!first) throw new Error('The order has no lines.')
  await ship(created.raw.id, [{ ...first, quantity: 2 }])
  const current = await readRecord(ORDERS, created)
  const attempts = [
    [[lineOf(2, 3)], 'lineItems'],
    [[lineOf(1, 1), lineOf(2, 3)], 'lineItems.0.quantity'],
  ] as const
  for (const [lineItems, field] of attempts)
    await expect(
      writes.update(ORDERS, current, { lineItems: [...lineItems] }),
    ).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(
        new RegExp(`^2 of the line ${first.id} \\(.+\\) are shipped\\. `),
      ),
      field,
    })
  // Unshipped lines may be dropped, and quantities may grow.
  const changed = await writes.update(ORDERS, current, { lineItems: [lineOf(1, 5)] })
  expect(linesOf(changed)).toMatchObject([{ id: first.id, quantity: 5 }])
})

test('a fulfillment that an earlier version separated from its line can be changed', async () => {
  const created = await order(2, 3)
  const parcel = await ship(created.raw.id, linesOf(created))
  const { prisma } = harness.database
  await prisma.$executeRaw`UPDATE sandbox_records
    SET body = jsonb_set(body, '{lineItems}', jsonb_build_array(body->'lineItems'->1))
    WHERE tenant = 'acme' AND id = ${created.raw.id}`
  const moved = await writes.update(FULFILLMENTS, parcel, { carrier: 'Quay Post' })
  expect(moved.raw.lineItems).toEqual(parcel.raw.lineItems)
  const again = await writes.update(FULFILLMENTS, moved, { lineItems: linesToSendBack(moved) })
  expect(again.raw.lineItems).toEqual(parcel.raw.lineItems)
  // Only the fulfillment that holds the line may keep it.
  const [lost] = linesOf(created)
  await expect(ship(created.raw.id, lost ? [lost] : [])).rejects.toMatchObject({
    field: 'lineItems.0.lineItemId',
  })
  // The order has no shipped line left to protect.
  await writes.update(ORDERS, await readRecord(ORDERS, created), { orderStatus: 'Active' })
})

test('a fulfillment outlives its order, even one that the app has removed', async () => {
  const created = await order(2)
  const parcel = await ship(created.raw.id, linesOf(created))
  await writes.remove(ORDERS, await readRecord(ORDERS, created))
  const later = await writes.update(FULFILLMENTS, parcel, { carrier: 'Quay Post' })
  const { prisma } = harness.database
  await prisma.$executeRaw`DELETE FROM sandbox_records
    WHERE tenant = 'acme' AND kind = 'orders' AND id = ${created.raw.id}`
  const last = await writes.update(FULFILLMENTS, later, {
    service: 'By boat',
    lineItems: linesToSendBack(later),
  })
  expect(last.raw).toMatchObject({ carrier: 'Quay Post', service: 'By boat' })
  expect(last.raw.lineItems).toEqual(parcel.raw.lineItems)
})

type Step =
  | { readonly kind: 'order'; readonly quantities: readonly number[] }
  | {
      readonly kind: 'ship' | 'reship'
      readonly at: number
      readonly quantities: readonly number[]
    }
  | { readonly kind: 'unship'; readonly at: number }

/** A quantity for each of the four products; 0: not in the order or not in the parcel. */
const quantities = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 })
const at = fc.nat({ max: 20 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('order' as const), quantities }),
  fc.record({ kind: fc.constantFrom('ship' as const, 'reship' as const), at, quantities }),
  fc.record({ kind: fc.constant('unship' as const), at }),
)

test('every state of an order and its fulfillments allows the next legal write', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const created = await order(3, 3, 3, 3)
      const parcels = new Map<string, Written>()
      const shippedOf = (line: string): number =>
        [...parcels.values()]
          .flatMap(({ raw }) => raw.lineItems as (Line & { readonly lineItemId: string })[])
          .reduce((n, item) => n + (item.lineItemId === line ? item.quantity : 0), 0)

      for (const next of steps) {
        const current = await readRecord(ORDERS, created)
        const ordered = linesOf(current) as readonly (Line & { readonly productId: string })[]
        const findLine = (product: number) =>
          ordered.find((line) => line.productId === `prd_000${product}`)
        const parcel = 'at' in next ? [...parcels.values()][next.at % parcels.size] : undefined
        if (next.kind === 'order') {
          const requested = next.quantities.flatMap((n, index) =>
            n > 0 ? [lineOf(index + 1, n)] : [],
          )
          if (requested.length === 0) continue
          const isLegal = next.quantities.every((n, index) => {
            const line = findLine(index + 1)
            return !line || n >= Math.min(shippedOf(line.id), line.quantity)
          })
          const written = writes.update(ORDERS, current, { lineItems: requested })
          if (isLegal) await written
          else await expect(written).rejects.toMatchObject({ kind: 'refused' })
        } else if (next.kind === 'unship') {
          if (!parcel) continue
          await writes.remove(FULFILLMENTS, parcel)
          parcels.delete(parcel.raw.id)
        } else {
          const lineItems = next.quantities.flatMap((quantity, index) => {
            const line = findLine(index + 1)
            return line && quantity > 0 ? [{ lineItemId: line.id, quantity }] : []
          })
          if (next.kind === 'reship' && !parcel) continue
          const written =
            parcel && next.kind === 'reship'
              ? await writes.update(FULFILLMENTS, parcel, { lineItems })
              : await writes.create(FULFILLMENTS, { orderId: created.raw.id, lineItems })
          parcels.set(written.raw.id, written)
        }
        for (const [id, held] of parcels)
          parcels.set(
            id,
            await writes.update(FULFILLMENTS, held, { lineItems: linesToSendBack(held) }),
          )
        await writes.update(ORDERS, await readRecord(ORDERS, created), { paymentStatus: 'Paid' })
      }
    }),
    { numRuns: 25 },
  )
}, 240_000)
