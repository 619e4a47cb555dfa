/** The chart of accounts with opening balances. The order determines the ids. */
import type { FieldsOf } from '../kinds/kinds.ts'

/** `opening`: opening balance in thousands of euro. */
const entry = (
  code: string,
  title: string,
  type: FieldsOf<'ledger_accounts'>['type'],
  purpose: string,
  opening = 0,
  parent: string | null = null,
) => ({ code, title, type, purpose, opening, parent, in_use: code !== '1030' })

/** Code of the account whose opening balance offsets all others. */
export const RETAINED_EARNINGS = '3100'

// Some accounts are referenced by id: acc_0004 is the fourth.
export const chart = [
  entry('1010', 'Current account', 'bank', 'Day-to-day receipts and payments.', 184),
  entry('1020', 'Savings account', 'bank', 'Reserve for taxes.', 65),
  entry('1030', 'Petty cash', 'bank', 'Cash box in the office.', 1, 'acc_0001'),
  entry('1200', 'Trade receivables', 'receivable', 'What clients owe.'),
  entry('1210', 'Other receivables', 'current_asset', 'Deposits and refunds due.', 4),
  entry('1220', 'Input VAT', 'current_asset', 'Tax paid to vendors and to be had back.'),
  entry('1300', 'Stock', 'current_asset', 'Goods in the warehouse.', 58),
  entry('1400', 'Prepayments', 'current_asset', 'Paid for what is still to come.', 6),
  entry('1500', 'Office equipment', 'fixed_asset', 'Furniture and fittings.', 32),
  entry('1510', 'Computers', 'fixed_asset', 'Laptops and servers.', 21, 'acc_0009'),
  entry('1520', 'Vehicles', 'fixed_asset', 'Two vans.', 38),
  entry('1600', 'Long-term deposits', 'other_asset', 'Rent deposit.', 12),
  entry('2000', 'Trade payables', 'payable', 'What is owed to vendors.'),
  entry('2100', 'Company credit card', 'credit_card', 'Card of the office.', 3),
  entry('2200', 'Output VAT', 'current_liability', 'Tax charged to clients and to be paid.'),
  entry('2210', 'Payroll taxes', 'current_liability', 'Withheld from wages.', 9),
  entry('2300', 'Accrued expenses', 'current_liability', 'Received and not billed yet.', 5),
  entry('2500', 'Bank loan', 'long_term_liability', 'Loan for the warehouse.', 90),
  entry('3000', 'Share capital', 'equity', 'Paid in by the owners.', 100),
  entry(RETAINED_EARNINGS, 'Retained earnings', 'equity', 'Profits of earlier years.'),
  entry('4000', 'Sales of goods', 'income', 'Goods sold to clients.', 210),
  entry('4100', 'Services', 'income', 'Work done for clients.', 120),
  entry('5000', 'Cost of goods sold', 'cost_of_sales', 'Goods bought to be sold.', 130),
  entry('5100', 'Freight', 'cost_of_sales', 'Carriage of goods.', 8, 'acc_0023'),
  entry('4900', 'Interest received', 'other_income', 'Interest on savings.', 1),
  entry('6000', 'Rent', 'expense', 'Office and warehouse.', 36),
  entry('6100', 'Salaries', 'expense', 'Wages and social insurance.', 148),
  entry('6300', 'Marketing', 'expense', 'Advertising and print.', 14),
  entry('6310', 'Trade fairs', 'expense', 'Stands and travel.', 6, 'acc_0028'),
  entry('6900', 'Bank charges', 'other_expense', 'Fees and losses on exchange.', 1),
]
