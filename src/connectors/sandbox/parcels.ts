/** The parcels of a shipment. The common model has two lists, paired by position. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { objectsIn, type RecordDraft } from './conversion.ts'
import type { WriteRule } from './inverse.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

/** A list of the input; empty for null, undefined if the field is omitted. */
const inputList = ({ fields }: RecordDraft, name: string): readonly string[] | undefined => {
  const { [name]: value } = fields
  return value === undefined ? undefined : Array.isArray(value) ? value.filter(isText) : []
}

const storedParcels = ({ stored }: RecordDraft): readonly (readonly [string, string])[] =>
  objectsIn(stored?.parcels).map((parcel) => [
    String(parcel.tracking_number),
    String(parcel.tracking_page ?? ''),
  ])

/** Rule of both lists. If the input has only one, the other keeps its stored values. */
export const parcels: WriteRule = {
  to: ['parcels'],
  apply: (_value, path, draft) => {
    const before = storedParcels(draft)
    const pageOf = new Map(before)
    const numbers = inputList(draft, 'trackingNumbers') ?? before.map(([number]) => number)
    const pages =
      inputList(draft, 'trackingUrls') ?? numbers.map((number) => pageOf.get(number) ?? '')
    // An empty list is allowed: it means that no parcel has a page.
    if (pages.length > 0 && pages.length !== numbers.length)
      throw new WriteRefusal(
        `trackingUrls must be empty or have one entry for each of the ${numbers.length} tracking numbers. Use an empty string for a parcel without a page.`,
        'trackingUrls',
      )
    const pairs: Json = numbers.map((tracking_number, index) => ({
      tracking_number,
      tracking_page: pages[index] || null,
    }))
    draft.put('parcels', pairs, path)
  },
}
