/** The texts of the Connect UI in English. They define the keys and placeholders of all languages. */
export const strings = {
  close: 'Close',
  back: 'Back',
  cancel: 'Cancel',
  done: 'Done',
  wait: 'One moment…',
  tryAgain: 'Try again',

  'error.title': 'Something went wrong',
  'error.sessionEnded': 'Your session has ended. Close this window, reload the page and try again.',
  'error.unreachable': 'The service is unreachable. Check your connection and try again.',
  'error.tooMany': 'Too many attempts. Wait a minute and try again.',
  'error.rejected': 'The app rejected these credentials. Check each value and try again.',
  'error.noApp': 'No app is named “{app}”.',
  'error.noAppOfIntegration': 'The app of this integration is not available.',
  'error.noMethod': 'This app cannot be connected at present.',

  'apps.title': 'Connect an app',
  'apps.none': 'No apps are available to connect.',
  'apps.search': 'Search apps',
  'apps.category': 'Category',
  'apps.allCategories': 'All categories',
  'apps.found': { one: '{count} app', other: '{count} apps' },
  'apps.available': 'Apps',
  'apps.accounts': 'Connected accounts',

  'connect.title': 'Connect {app}',
  'connect.again': 'Connect {account} again',
  'connect.submit': 'Connect',
  'connect.anyway': 'Connect anyway',
  'connect.optional': '{label} (optional)',
  'connect.expected': 'Expected {expected}.',
  'connect.checkFields': 'Check the highlighted fields.',
  'connect.sameAccount': 'Use the same account as before. Its data stays.',

  'access.title': 'What will be accessed',
  'access.titleOf': 'What {product} will access',
  'access.read': { one: '{count} kind of data is read.', other: '{count} kinds of data are read.' },
  'access.all': {
    one: '{count} kind of data is read and can be changed.',
    other: '{count} kinds of data are read and can be changed.',
  },
  'access.write': {
    one: '{count} of them can also be changed.',
    other: '{count} of them can also be changed.',
  },
  'access.details': 'Show all',
  'access.readOnly': 'Read: {resources}',
  'access.readAndWrite': 'Read and change: {resources}',

  'method.title': 'How do you want to connect {app}?',
  'method.signIn': 'Sign in with {app}',
  'method.enter': 'Enter the credentials',
  'method.notConfigured':
    'For developers: “{method}” is not offered, because no OAuth client is configured for it.',

  'oauth.about': 'A window opens in which you sign in to {app} and allow the access.',
  'oauth.open': 'Continue to {app}',
  'oauth.waiting': 'Sign in to {app} and allow the access in the window that has opened.',
  'oauth.show': 'Show the window',
  'oauth.closed':
    'The window seems to be closed. If you are still signing in there, carry on: this continues by itself. If not, open the window again.',
  'oauth.reopen': 'Open the window again',
  'oauth.blocked': 'Your browser has blocked the window. Open {app} with this link:',
  'oauth.link': 'Open {app} in a new tab',
  'oauth.popup': 'You will be taken to {app}…',
  'oauth.notConnected': '{app} is not connected',
  'oauth.denied': 'The access was denied in {app}.',
  'oauth.failed': 'Signing in to {app} failed.',
  'oauth.expired': 'Signing in to {app} took too long. Start again.',
  'oauth.choose': 'Choose an account',
  'oauth.chooseAbout': 'You can open several accounts in {app}. Which one do you want to connect?',

  'outcome.connected': '{app} is connected',
  'outcome.failing': '{app} is connected, but its sync fails',
  'outcome.importing': 'Your data is now being imported.',
  'outcome.importingOf': 'The data of {account} is now being imported.',
  'outcome.imported': 'All data has been imported.',
  'outcome.progress': 'Progress of the first sync',

  'state.connected': 'Connected',
  'state.syncing': 'First sync in progress',
  'state.failing': 'Sync failing',
  'state.needs_reconnect': 'Needs to be connected again',
  'state.paused': 'Paused',
  'state.since': '{state} since {time}',
  'state.because': '{state}: {reason}',

  records: { one: '{count} record', other: '{count} records' },
  kinds: { one: '{count} kind of data', other: '{count} kinds of data' },
  progress: {
    one: '{completed} of {count} kind of data',
    other: '{completed} of {count} kinds of data',
  },

  'account.about': '{app} · Connected {date}',
  'account.connectedOn': 'Connected {date}',
  'account.reason': 'Reason: {reason}.',
  'account.imported': 'Imported',
  'account.lastSync': 'Last completed sync',
  'account.noSync': 'None yet',
  'account.nextSync': 'Next sync',
  'account.afterResume': 'After it is resumed',
  'account.inProgress': 'In progress',
  'account.notSynced': 'not synced yet',
  'account.synced': 'synced {time}',
  'account.resource': '{resource} ({category})',
  'account.connectAgain': 'Connect again',
  'account.connectedAgain': '{account} is connected again.',
  'account.disconnect': 'Disconnect',
  'account.disconnected': '{account} is disconnected.',
  'account.disconnectTitle': 'Disconnect {account}?',
  'account.disconnectAbout':
    'The connection and the data that was imported from {app} will be deleted here. Nothing changes in {app}.',

  'sync.resync': 'Sync now',
  'sync.pause': 'Pause',
  'sync.resume': 'Resume',
  'sync.labelled': '{action}: {subject}',
  'sync.resyncDone': 'A full sync was requested: {subject}.',
  'sync.pauseDone': 'The sync was paused: {subject}.',
  'sync.resumeDone': 'The sync was resumed: {subject}.',

  'install.title': 'Install {name}',
  'install.about': 'This integration sets up:',
  'install.connection': 'Connection',
  'install.option': '{account}, connected {date} · {state}',
  'install.submit': 'Install',
  'install.again': 'Install again',
  'install.done': '{name} is installed',
  'install.active': 'The integration is now active.',

  'category.accounting': 'Accounting',
  'category.commerce': 'Commerce',
  'category.crm': 'CRM',

  'accounting/accounts': 'Accounts',
  'accounting/bills': 'Bills',
  'accounting/companyInfo': 'Company info',
  'accounting/customers': 'Customers',
  'accounting/invoices': 'Invoices',
  'accounting/items': 'Items',
  'accounting/payments': 'Payments',
  'accounting/purchaseOrders': 'Purchase orders',
  'accounting/taxRates': 'Tax rates',
  'accounting/trackingCategories': 'Tracking categories',
  'accounting/vendors': 'Vendors',
  'commerce/customers': 'Customers',
  'commerce/fulfillments': 'Fulfillments',
  'commerce/orders': 'Orders',
  'commerce/products': 'Products',
  'crm/accounts': 'Accounts',
  'crm/contacts': 'Contacts',
  'crm/leads': 'Leads',
  'crm/notes': 'Notes',
  'crm/opportunities': 'Opportunities',
  'crm/stages': 'Stages',
  'crm/tasks': 'Tasks',
  'crm/users': 'Users',
} as const satisfies Readonly<Record<string, Message>>

/** A text for each plural category that the language has for whole numbers; `other` is the last resort. */
export type PluralForms = Partial<Readonly<Record<Intl.LDMLPluralRule, string>>> & {
  readonly other: string
}

/** A text, or one that depends on `{count}`. Words in braces are placeholders. */
export type Message = string | PluralForms

/** The texts of one language. */
export type Strings = {
  readonly [Key in keyof typeof strings]: (typeof strings)[Key] extends string
    ? string
    : PluralForms
}
