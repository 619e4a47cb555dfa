/** The chart of accounts with opening balances, which add up to zero. The order determines the ids. */
import type { FieldsOf } from '../kinds/kinds.ts'

/** An account and its opening balance in thousands of euro. */
type Row = readonly [
  accountNumber: string,
  accountName: string,
  accountType: FieldsOf<'ledger_accounts'>['accountType'],
  accountDescription: string,
  opening?: number,
  parentAccountId?: string,
]

// Some accounts are referenced by id: acc_0004 is the fourth.
export const chart: readonly Row[] = [
  ['1010', 'Current account', 'BANK', 'Day-to-day receipts and payments.', 184],
  ['1020', 'Savings account', 'BANK', 'Reserve for taxes.', 65],
  ['1030', 'Petty cash', 'BANK', 'Cash box in the office.', 1, 'acc_0001'],
  ['1200', 'Trade receivables', 'ACCOUNTS_RECEIVABLE', 'What clients owe.'],
  ['1210', 'Other receivables', 'OTHER_CURRENT_ASSET', 'Deposits and refunds due.', 4],
  ['1220', 'Input VAT', 'OTHER_CURRENT_ASSET', 'Tax paid to vendors and to be had back.'],
  ['1300', 'Stock', 'OTHER_CURRENT_ASSET', 'Goods in the warehouse.', 58],
  ['1400', 'Prepayments', 'OTHER_CURRENT_ASSET', 'Paid for what is still to come.', 6],
  ['1500', 'Office equipment', 'FIXED_ASSET', 'Furniture and fittings.', 32],
  ['1510', 'Computers', 'FIXED_ASSET', 'Laptops and servers.', 21, 'acc_0009'],
  ['1520', 'Vehicles', 'FIXED_ASSET', 'Two vans.', 38],
  ['1600', 'Long-term deposits', 'OTHER_ASSET', 'Rent deposit.', 12],
  ['2000', 'Trade payables', 'ACCOUNTS_PAYABLE', 'What is owed to vendors.'],
  ['2100', 'Company credit card', 'CREDIT_CARD', 'Card of the office.', 3],
  ['2200', 'Output VAT', 'OTHER_CURRENT_LIABILITY', 'Tax charged to clients and to be paid.'],
  ['2210', 'Payroll taxes', 'OTHER_CURRENT_LIABILITY', 'Withheld from wages.', 9],
  ['2300', 'Accrued expenses', 'OTHER_CURRENT_LIABILITY', 'Received and not billed yet.', 5],
  ['2500', 'Bank loan', 'LONG_TERM_LIABILITY', 'Loan for the warehouse.', 90],
  ['3000', 'Share capital', 'EQUITY', 'Paid in by the owners.', 100],
  ['3100', 'Retained earnings', 'EQUITY', 'Profits of earlier years.', 226],
  ['4000', 'Sales of goods', 'INCOME', 'Goods sold to clients.', 210],
  ['4100', 'Services', 'INCOME', 'Work done for clients.', 120],
  ['5000', 'Cost of goods sold', 'COST_OF_GOODS_SOLD', 'Goods bought to be sold.', 130],
  ['5100', 'Freight', 'COST_OF_GOODS_SOLD', 'Carriage of goods.', 8, 'acc_0023'],
  ['4900', 'Interest received', 'OTHER_INCOME', 'Interest on savings.', 1],
  ['6000', 'Rent', 'EXPENSE', 'Office and warehouse.', 36],
  ['6100', 'Salaries', 'EXPENSE', 'Wages and social insurance.', 148],
  ['6300', 'Marketing', 'EXPENSE', 'Advertising and print.', 14],
  ['6310', 'Trade fairs', 'EXPENSE', 'Stands and travel.', 6, 'acc_0028'],
  ['6900', 'Bank charges', 'OTHER_EXPENSE', 'Fees and losses on exchange.', 1],
]
