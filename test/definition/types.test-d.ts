/** Tests of the definitions' types; `tsc --noEmit` runs them. */
import type { FilterOf, RecordOf } from '../../src/definition/resource.ts'
import type * as sdk from '../../src/generated/sdk-types.ts'
import type { account } from '../../src/resources/accounting/account.ts'
import type { bill } from '../../src/resources/accounting/bill.ts'
import type { companyInfo } from '../../src/resources/accounting/company-info.ts'
import type { invoice } from '../../src/resources/accounting/invoice.ts'
import type { payment } from '../../src/resources/accounting/payment.ts'
import type { purchaseOrder } from '../../src/resources/accounting/purchase-order.ts'
import type { vendor } from '../../src/resources/accounting/vendor.ts'
import type { fulfillment } from '../../src/resources/commerce/fulfillment.ts'
import type { order } from '../../src/resources/commerce/order.ts'
import type { product } from '../../src/resources/commerce/product.ts'
import type { account as crmAccount } from '../../src/resources/crm/account.ts'
import type { contact } from '../../src/resources/crm/contact.ts'
import type { task } from '../../src/resources/crm/task.ts'
import type { user } from '../../src/resources/crm/user.ts'

/** Two types that are assignable to each other: the same keys, and the same type for each key. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
// Makes every key required, because optional keys may be missing from either type.
type SameFilter<A, B> = Same<Required<A>, Required<B>>
type Expect<Truth extends true> = Truth

/** The records of the SDK are those of the definitions. */
export type Records = readonly [
  Expect<Same<RecordOf<typeof account>, sdk.AccountingAccount>>,
  Expect<Same<RecordOf<typeof bill>, sdk.AccountingBill>>,
  Expect<Same<RecordOf<typeof companyInfo>, sdk.AccountingCompanyInfo>>,
  Expect<Same<RecordOf<typeof invoice>, sdk.AccountingInvoice>>,
  Expect<Same<RecordOf<typeof payment>, sdk.AccountingPayment>>,
  Expect<Same<RecordOf<typeof purchaseOrder>, sdk.AccountingPurchaseOrder>>,
  Expect<Same<RecordOf<typeof vendor>, sdk.AccountingVendor>>,
  Expect<Same<RecordOf<typeof fulfillment>, sdk.CommerceFulfillment>>,
  Expect<Same<RecordOf<typeof order>, sdk.CommerceOrder>>,
  Expect<Same<RecordOf<typeof product>, sdk.CommerceProduct>>,
  Expect<Same<RecordOf<typeof crmAccount>, sdk.CrmAccount>>,
  Expect<Same<RecordOf<typeof contact>, sdk.CrmContact>>,
  Expect<Same<RecordOf<typeof task>, sdk.CrmTask>>,
  Expect<Same<RecordOf<typeof user>, sdk.CrmUser>>,
]

/** The filters of the SDK are those of the definitions. */
export type Filters = readonly [
  Expect<SameFilter<FilterOf<typeof account>, sdk.AccountingAccountFilter>>,
  Expect<SameFilter<FilterOf<typeof bill>, sdk.AccountingBillFilter>>,
  Expect<SameFilter<FilterOf<typeof companyInfo>, sdk.AccountingCompanyInfoFilter>>,
  Expect<SameFilter<FilterOf<typeof invoice>, sdk.AccountingInvoiceFilter>>,
  Expect<SameFilter<FilterOf<typeof payment>, sdk.AccountingPaymentFilter>>,
  Expect<SameFilter<FilterOf<typeof purchaseOrder>, sdk.AccountingPurchaseOrderFilter>>,
  Expect<SameFilter<FilterOf<typeof vendor>, sdk.AccountingVendorFilter>>,
  Expect<SameFilter<FilterOf<typeof fulfillment>, sdk.CommerceFulfillmentFilter>>,
  Expect<SameFilter<FilterOf<typeof order>, sdk.CommerceOrderFilter>>,
  Expect<SameFilter<FilterOf<typeof product>, sdk.CommerceProductFilter>>,
  Expect<SameFilter<FilterOf<typeof crmAccount>, sdk.CrmAccountFilter>>,
  Expect<SameFilter<FilterOf<typeof contact>, sdk.CrmContactFilter>>,
  Expect<SameFilter<FilterOf<typeof task>, sdk.CrmTaskFilter>>,
  Expect<SameFilter<FilterOf<typeof user>, sdk.CrmUserFilter>>,
]

// Proves that the comparison can fail.
// @ts-expect-error: another resource's record
export type OtherRecord = Expect<Same<RecordOf<typeof vendor>, sdk.AccountingPayment>>
// @ts-expect-error: a value that may be null in one type only
export type OtherNull = Expect<Same<{ a: string | null }, { a: string }>>
// @ts-expect-error: one more filter
export type OtherFilter = Expect<SameFilter<{ a?: string; b?: string }, { a?: string }>>

export const vendorFilter: FilterOf<typeof vendor> = {
  vendorName: 'Harbour Light',
  vendorNameContains: 'light',
  vendorNameNotEquals: 'Other',
  vendorStatus: 'ACTIVE',
  vendorStatusNotEquals: 'ARCHIVED',
  currency: 'GBP',
  currencyNotEquals: 'EUR',
  companyId: '1042',
  remoteId: '1042',
  remoteDeleted: false,
  includeDeleted: true,
  createdAtMin: '2026-03-02',
  remoteUpdatedAtMax: '2026-03-02T09:30:00.000Z',
}

export const vendorRefusals: readonly FilterOf<typeof vendor>[] = [
  // @ts-expect-error: a text has no bounds
  { vendorNameMin: 'A' },
  // @ts-expect-error: an enumeration is not searched
  { vendorStatusContains: 'ACT' },
  // @ts-expect-error: a status that no vendor has
  { vendorStatus: 'OPEN' },
  // @ts-expect-error: a string is not a number
  { vendorName: 1 },
  // @ts-expect-error: null cannot be compared with
  { vendorName: null },
  // @ts-expect-error: undefined does not omit a filter
  { vendorName: undefined },
  // @ts-expect-error: a record is found by its own remote id, not by another record's
  { remoteIdNotEquals: '1042' },
  // @ts-expect-error: an instant is compared by bounds
  { createdAt: '2026-03-02' },
  // @ts-expect-error: lists cannot be filtered
  { addresses: [] },
  // @ts-expect-error: a boolean, not a string
  { includeDeleted: 'true' },
  // @ts-expect-error: unknown field
  { name: 'Harbour Light' },
]

export const paymentFilter: FilterOf<typeof payment> = {
  transactionDate: '2026-03-02',
  currency: 'GBP',
  exchangeRate: 1.5,
  totalAmount: 54,
  totalAmountMin: 50,
  totalAmountMax: 60,
  totalAmountNotEquals: 55,
}

// The contract's List Payments has fewer filters than the kinds of its fields allow.
export const paymentRefusals: readonly FilterOf<typeof payment>[] = [
  // @ts-expect-error: not offered
  { currencyNotEquals: 'EUR' },
  // @ts-expect-error: not offered
  { vendorIdNotEquals: '1042' },
  // @ts-expect-error: not offered
  { exchangeRateMin: 1 },
  // @ts-expect-error: not offered
  { transactionDateMin: '2026-03-02' },
  // @ts-expect-error: an amount is not a string
  { totalAmountMin: '50' },
]

// A decimal is a string of digits in a record and a number in a filter; an embedded record is filtered by its id.
export const orderFilter: FilterOf<typeof order> = { totalPriceMin: 10 }
export const contactFilter: FilterOf<typeof contact> = { account: '1042' }
// @ts-expect-error: an amount is not a string
export const orderRefusal: FilterOf<typeof order> = { totalPriceMin: '10.00' }
// @ts-expect-error: only the id
export const contactRefusal: FilterOf<typeof contact> = { account: { id: '1042' } }

type Contact = RecordOf<typeof contact>
export type EmbeddedAccount = Expect<
  Same<Contact['account'], { id: string; remoteId: string; accountName: string | null } | null>
>
export type StatusOfVendor = Expect<
  Same<RecordOf<typeof vendor>['vendorStatus'], 'ACTIVE' | 'ARCHIVED' | null>
>
export type PriceOfOrder = Expect<Same<RecordOf<typeof order>['totalPrice'], string | null>>
export type NeverNull = Expect<
  Same<
    Pick<Contact, 'id' | 'remoteId' | 'remoteDeleted' | 'createdAt' | 'updatedAt'>,
    { id: string; remoteId: string; remoteDeleted: boolean; createdAt: string; updatedAt: string }
  >
>
