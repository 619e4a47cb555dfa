/** The parcels of a shipment. The common model has two lists, paired by position. */
import { type Json, WriteRejection } from '../../definition/connector.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'
import type { Converter, ConverterContext } from '../../definition/mapping/rule.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

/** A list of the input; empty for null, undefined if the field is omitted. */
const inputList = ({ input }: ConverterContext, name: string): readonly string[] | undefined => {
  const { [name]: value } = input
  return value === undefined ? undefined : Array.isArray(value) ? value.filter(isText) : []
}

const parcelsIn = (list: unknown) =>
  objectsIn(list).map(
    (parcel) => [String(parcel.tracking_number), String(parcel.tracking_page ?? '')] as const,
  )

/** Writes both lists. If the input has only one, the other keeps its stored values. */
const writeParcels = (context: ConverterContext): undefined => {
  const before = parcelsIn(context.stored?.parcels)
  const pageOf = new Map(before)
  const numbers = inputList(context, 'trackingNumbers') ?? before.map(([number]) => number)
  const pages =
    inputList(context, 'trackingUrls') ?? numbers.map((number) => pageOf.get(number) ?? '')
  // An empty list is allowed: it means that no parcel has a page.
  if (pages.length > 0 && pages.length !== numbers.length)
    throw new WriteRejection(
      `trackingUrls must be empty or have one entry for each of the ${numbers.length} tracking numbers. Use an empty string for a parcel without a page.`,
      'trackingUrls',
    )
  const pairs: Json = numbers.map((tracking_number, index) => ({
    tracking_number,
    tracking_page: pages[index] || null,
  }))
  context.put('parcels', pairs, context.path)
}

const parcels = {
  from: 'parcels',
  apply: (_: Json, context: ConverterContext) => writeParcels(context),
}

/** The numbers of the parcels. */
export const trackingNumbers: Converter = {
  ...parcels,
  read: (list) => parcelsIn(list).map(([number]) => number),
}

/** The pages of the parcels: an empty string for a parcel without one, no entries if no parcel has one. */
export const trackingUrls: Converter = {
  ...parcels,
  read: (list) => {
    const pages = parcelsIn(list).map(([, page]) => page)
    return pages.some((page) => page !== '') ? pages : []
  },
}
