/** Timestamps of apps, converted to the form of the API. */
import { expect, test } from 'vitest'
import { isoTimestamp } from '../../src/definition/time.ts'

const viaDate = (text: string): string | undefined => {
  const date = new Date(text)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

test('a timestamp in the form of the API is returned as Date would return it', () => {
  const days = ['0000-01-01', '0001-01-01', '2023-02-29', '2024-02-29', '2023-02-30', '2023-13-01']
  const more = ['2023-01-00', '2023-00-10', '2023-04-31', '9999-12-28', '9999-12-31', '2023-06-15']
  const times = ['00:00:00.000', '23:59:59.999', '24:00:00.000', '10:60:00.000', '10:00:60.000']
  for (const day of [...days, ...more])
    for (const time of times)
      for (const text of [`${day}T${time}Z`, `${day}T${time}+01:00`, `${day}T${time}Z\n`])
        expect([text, isoTimestamp(text)]).toEqual([text, viaDate(text)])
})
