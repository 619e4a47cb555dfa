/** The settings of a company as the API shows them. */
import type { JsonObject } from '../engine/json.ts'
import type { Company } from './company.ts'
import { formatTime } from './times.ts'

/** The settings that change the form of records: currencies, classes, departments. */
export const preferencesOf = ({ settings, clock }: Company): JsonObject => {
  const now = formatTime(clock.nowMs())
  return {
    AccountingInfoPrefs: { ClassTrackingPerTxnLine: true, TrackDepartments: true },
    CurrencyPrefs: {
      MultiCurrencyEnabled: settings.multiCurrency,
      HomeCurrency: { value: settings.homeCurrency },
    },
    domain: 'QBO',
    sparse: false,
    Id: '1',
    SyncToken: '0',
    MetaData: { CreateTime: now, LastUpdatedTime: now },
  }
}
