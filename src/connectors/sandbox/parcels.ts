/** The parcels of a shipment: two lists in the common model, pairs by position. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { type Draft, objectsIn } from './conversion.ts'
import type { Rule } from './inverse.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

/** A list that is given, as texts; undefined if it is not. Null empties it. */
const given = ({ given }: Draft, name: string): readonly string[] | undefined => {
  const { [name]: value } = given
  return value === undefined ? undefined : Array.isArray(value) ? value.filter(isText) : []
}

const storedParcels = ({ stored }: Draft): readonly (readonly [string, string])[] =>
  objectsIn(stored?.parcels).map((parcel) => [
    String(parcel.tracking_number),
    String(parcel.tracking_page ?? ''),
  ])

/** The rule of both lists. If one is given alone, the other stays: a parcel keeps its page or its number. */
export const parcels: Rule = {
  to: ['parcels'],
  tell: (_value, path, draft) => {
    const before = storedParcels(draft)
    const pageOf = new Map(before)
    const numbers = given(draft, 'trackingNumbers') ?? before.map(([number]) => number)
    const pages = given(draft, 'trackingUrls') ?? numbers.map((number) => pageOf.get(number) ?? '')
    // No page at all is how parcels without pages are shown.
    if (pages.length > 0 && pages.length !== numbers.length)
      throw new WriteRefusal(
        `The sandbox pairs numbers and pages: ${numbers.length} numbers need as many addresses, or none. An empty text stands for a parcel without a page.`,
        'trackingUrls',
      )
    const told: Json = numbers.map((tracking_number, index) => ({
      tracking_number,
      tracking_page: pages[index] || null,
    }))
    draft.put('parcels', told, path)
  },
}
