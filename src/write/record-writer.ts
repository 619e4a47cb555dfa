/**
 * Writes records: in the app first, then in the store. The stored record and its entry in the change log are
 * written in one transaction.
 */
import { isAppError } from '../outbound/app-error.ts'
import type { RecordWriter } from '../query/write-request.ts'
import { appFailure } from './app-failure.ts'
import { createRecord } from './create-record.ts'
import { deleteRecord } from './delete-record.ts'
import type { WriteContext } from './side-effects.ts'
import { updateRecord } from './update-record.ts'

/** Converts failures of the app outside of the write itself, e.g. in a search, into API errors. */
const rethrow = (error: unknown): never => {
  throw isAppError(error) ? appFailure(error) : error
}

/** Creates the writer that the API and the workflows share. */
export const createRecordWriter = (context: WriteContext): RecordWriter => ({
  create: (request) => createRecord(context, request).catch(rethrow),
  update: (request) => updateRecord(context, request).catch(rethrow),
  delete: (request) => deleteRecord(context, request).catch(rethrow),
})
