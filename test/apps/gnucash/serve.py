"""Starts the REST server of Debian's python3-gnucash on a new book: python3 serve.py <book file> <port>

The book is filled through GnuCash's own bindings with what the REST server cannot create. The server itself is the
package's example, unchanged; it has no option for its port.
"""
import runpy
import sys
from datetime import date
from os.path import exists

import flask
import gnucash
from gnucash import GncNumeric, SessionOpenMode
from gnucash.gnucash_business import Bill, Customer, Entry, Invoice, Vendor
from gnucash.gnucash_core_c import (
    ACCT_TYPE_ASSET,
    ACCT_TYPE_BANK,
    ACCT_TYPE_EXPENSE,
    ACCT_TYPE_INCOME,
    ACCT_TYPE_PAYABLE,
    ACCT_TYPE_RECEIVABLE,
)

SERVER = '/usr/share/doc/python3-gnucash/examples/rest-api/gnucash_rest.py'

# Name, type, name of the parent.
ACCOUNTS = [
    ('Assets', ACCT_TYPE_ASSET, None),
    ('Bank', ACCT_TYPE_BANK, 'Assets'),
    ('Receivable', ACCT_TYPE_RECEIVABLE, 'Assets'),
    ('Payable', ACCT_TYPE_PAYABLE, None),
    ('Sales', ACCT_TYPE_INCOME, None),
    ('Travel', ACCT_TYPE_EXPENSE, None),
]


def create_book(address):
    session = gnucash.Session(address, SessionOpenMode.SESSION_NEW_STORE)
    book = session.book
    euro = book.get_table().lookup('CURRENCY', 'EUR')
    accounts = {None: book.get_root_account()}
    for name, kind, parent in ACCOUNTS:
        account = gnucash.Account(book)
        accounts[parent].append_child(account)
        account.SetName(name)
        account.SetType(kind)
        account.SetCommodity(euro)
        accounts[name] = account

    # The server fails to list documents that are not posted, and cannot post one that it created itself.
    customer = Customer(book, book.CustomerNextID(), euro, 'Hafenlicht AG')
    invoice = Invoice(book, '000001', euro, customer, date(2026, 3, 2))
    for text, quantity, cents in [('Lamps', 4, 12_950), ('Delivery', 1, 1_500)]:
        entry = Entry(book, invoice, date(2026, 3, 2))
        entry.SetDescription(text)
        entry.SetInvAccount(accounts['Sales'])
        entry.SetQuantity(GncNumeric(quantity, 1))
        entry.SetInvPrice(GncNumeric(cents, 100))
    invoice.PostToAccount(accounts['Receivable'], date(2026, 3, 3), date(2026, 4, 2), '', True, False)

    vendor = Vendor(book, book.VendorNextID(), euro, 'Nordbahn')
    bill = Bill(book, '000001', euro, vendor, date(2026, 3, 4))
    entry = Entry(book, bill, date(2026, 3, 4))
    entry.SetDescription('Tickets')
    entry.SetBillAccount(accounts['Travel'])
    entry.SetQuantity(GncNumeric(2, 1))
    entry.SetBillPrice(GncNumeric(7_990, 100))
    bill.PostToAccount(accounts['Payable'], date(2026, 3, 5), date(2026, 3, 19), '', True, False)
    session.save()
    session.end()
    session.destroy()


file, port = sys.argv[1], int(sys.argv[2])
if not exists(file):
    create_book(f'xml://{file}')
run = flask.Flask.run
flask.Flask.run = lambda app, host: run(app, host=host, port=port)
sys.path.insert(0, SERVER.rsplit('/', 1)[0])
sys.argv = [SERVER, f'xml://{file}']
runpy.run_path(SERVER, run_name='__main__')
