/** The chart of accounts with opening balances, which add up to zero. The order determines the ids. */
import type { FieldsOf } from '../kinds/kinds.ts'

/** `opening`: opening balance in thousands of euro. */
const entry = (
  accountNumber: string,
  accountName: string,
  accountType: FieldsOf<'ledger_accounts'>['accountType'],
  accountDescription: string,
  opening = 0,
  parentAccountId: string | null = null,
) => ({
  account: { accountNumber, accountName, accountType, accountDescription, parentAccountId },
  opening,
})

// Some accounts are referenced by id: acc_0004 is the fourth.
export const chart = [
  entry('1010', 'Current account', 'BANK', 'Day-to-day receipts and payments.', 184),
  entry('1020', 'Savings account', 'BANK', 'Reserve for taxes.', 65),
  entry('1030', 'Petty cash', 'BANK', 'Cash box in the office.', 1, 'acc_0001'),
  entry('1200', 'Trade receivables', 'ACCOUNTS_RECEIVABLE', 'What clients owe.'),
  entry('1210', 'Other receivables', 'OTHER_CURRENT_ASSET', 'Deposits and refunds due.', 4),
  entry('1220', 'Input VAT', 'OTHER_CURRENT_ASSET', 'Tax paid to vendors and to be had back.'),
  entry('1300', 'Stock', 'OTHER_CURRENT_ASSET', 'Goods in the warehouse.', 58),
  entry('1400', 'Prepayments', 'OTHER_CURRENT_ASSET', 'Paid for what is still to come.', 6),
  entry('1500', 'Office equipment', 'FIXED_ASSET', 'Furniture and fittings.', 32),
  entry('1510', 'Computers', 'FIXED_ASSET', 'Laptops and servers.', 21, 'acc_0009'),
  entry('1520', 'Vehicles', 'FIXED_ASSET', 'Two vans.', 38),
  entry('1600', 'Long-term deposits', 'OTHER_ASSET', 'Rent deposit.', 12),
  entry('2000', 'Trade payables', 'ACCOUNTS_PAYABLE', 'What is owed to vendors.'),
  entry('2100', 'Company credit card', 'CREDIT_CARD', 'Card of the office.', 3),
  entry('2200', 'Output VAT', 'OTHER_CURRENT_LIABILITY', 'Tax charged to clients and to be paid.'),
  entry('2210', 'Payroll taxes', 'OTHER_CURRENT_LIABILITY', 'Withheld from wages.', 9),
  entry('2300', 'Accrued expenses', 'OTHER_CURRENT_LIABILITY', 'Received and not billed yet.', 5),
  entry('2500', 'Bank loan', 'LONG_TERM_LIABILITY', 'Loan for the warehouse.', 90),
  entry('3000', 'Share capital', 'EQUITY', 'Paid in by the owners.', 100),
  entry('3100', 'Retained earnings', 'EQUITY', 'Profits of earlier years.', 226),
  entry('4000', 'Sales of goods', 'INCOME', 'Goods sold to clients.', 210),
  entry('4100', 'Services', 'INCOME', 'Work done for clients.', 120),
  entry('5000', 'Cost of goods sold', 'COST_OF_GOODS_SOLD', 'Goods bought to be sold.', 130),
  entry('5100', 'Freight', 'COST_OF_GOODS_SOLD', 'Carriage of goods.', 8, 'acc_0023'),
  entry('4900', 'Interest received', 'OTHER_INCOME', 'Interest on savings.', 1),
  entry('6000', 'Rent', 'EXPENSE', 'Office and warehouse.', 36),
  entry('6100', 'Salaries', 'EXPENSE', 'Wages and social insurance.', 148),
  entry('6300', 'Marketing', 'EXPENSE', 'Advertising and print.', 14),
  entry('6310', 'Trade fairs', 'EXPENSE', 'Stands and travel.', 6, 'acc_0028'),
  entry('6900', 'Bank charges', 'OTHER_EXPENSE', 'Fees and losses on exchange.', 1),
]
