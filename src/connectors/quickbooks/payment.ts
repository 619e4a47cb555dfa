/** Payments of customers (Payment) and to vendors (BillPayment) (NOTES "payments"). */
import { missingValue, type ResourceConnector } from '../../definition/connector.ts'
import { createOnly, notNull, required } from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { passes } from '../../definition/paging/compose.ts'
import { type Values, valuesAt, valuesOf } from '../../definition/raw-values.ts'
import { payment } from '../../resources/accounting/payment.ts'
import { ENTITY_TYPE, type Entity, pagesOf, sharedIdOf, sync } from './entity.ts'
import { common, currency, exchangeRate } from './fields.ts'
import { DEPARTMENT, trackingOf } from './tracking.ts'
import { linkedTo, paymentState } from './transaction.ts'
import { entityWriter } from './writer.ts'

export const RECEIVED: Entity = {
  name: 'Payment',
  isShared: true,
  requires: ['CustomerRef'],
}
export const MADE: Entity = {
  name: 'BillPayment',
  isShared: true,
  requires: ['VendorRef', 'PayType'],
}

const DEPOSIT = 'DepositToAccountRef.value'
const BANK = 'CheckPayment.BankAccountRef.value'
const CARD = 'CreditCardPayment.CCAccountRef.value'

/** The account of a payment. A new one to a vendor is made from a bank account. */
const accountId: Converter = {
  from: '',
  read: (raw) => [DEPOSIT, BANK, CARD].flatMap((path) => valuesAt(raw, path))[0],
  apply: (value, { path, put, input, stored }) => {
    if (value === null) throw missingValue('QuickBooks requires an account.', path)
    const type = stored?.[ENTITY_TYPE] ?? (input.vendorId ? MADE.name : RECEIVED.name)
    if (type === RECEIVED.name) put(DEPOSIT, value, path)
    else if (stored?.PayType === 'CreditCard') put(CARD, value, path)
    else {
      put('PayType', 'Check', path)
      put(BANK, value, path)
    }
    return undefined
  },
  sets: [DEPOSIT, 'PayType', BANK, CARD],
}

const mapping = defineMapping<typeof payment, Values>(payment, {
  ...common,
  remoteId: (record) => sharedIdOf(record, record.Id),
  transactionDate: notNull('TxnDate'),
  // They define the entity, so they never change.
  customerId: createOnly(notNull('CustomerRef.value')),
  vendorId: createOnly(notNull('VendorRef.value')),
  accountId,
  currency,
  exchangeRate,
  totalAmount: required(decimal('TotalAmt', { as: 'number' })),
  paymentState,
  trackingCategoryIds: trackingOf(DEPARTMENT),
})

/** The entity of a new payment. @throws WriteRejection if it has a customer and a vendor, or neither */
const entityOfNew = (body: Values): Entity => {
  const [isReceived, isMade] = [
    valuesOf(body.CustomerRef).value,
    valuesOf(body.VendorRef).value,
  ].map((id) => id !== undefined)
  if (isReceived === isMade) throw missingValue('Pass either a customer or a vendor.', 'customerId')
  return isMade ? MADE : RECEIVED
}

export const payments: ResourceConnector = {
  mapping,
  ...passes(() => ({ received: pagesOf(RECEIVED), made: pagesOf(MADE) })),
  sync,
  write: entityWriter(mapping, {
    entities: [RECEIVED, MADE],
    entityOfNew,
    sideEffects: linkedTo({ Invoice: 'accounting/invoices', Bill: 'accounting/bills' }),
  }),
}
