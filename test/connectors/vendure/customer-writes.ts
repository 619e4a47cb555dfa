/** Writes of customers. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../../src/connectors/vendure/manifest.ts'
import { createCustomer } from '../../apps/vendure/shop.ts'
import { readCustomer } from '../../apps/vendure/state.ts'
import { createStepRunner } from '../../support/steps.ts'
import { createKey, READING } from './key.ts'
import { topicOf, type WritingShop } from './writing.ts'

export const customerWrites = (shop: WritingShop): unknown =>
  describe('a customer', () => {
    const { storedAs, create, get, update, remove, refusal, attempt } = shop
    test('is created, changed and deleted', async () => {
      const maria = { firstName: 'Maria', lastName: 'Agnesi', email: 'Maria@example.org' }
      const createdRecord = await create(
        'customers',
        { ...maria, phone: '+39 1' },
        { title: 'Dott.' },
      )
      expect(createdRecord).toMatchObject({ ...maria, email: 'maria@example.org', phone: '+39 1' })
      expect(await readCustomer(shop.vendure, createdRecord.remoteId)).toMatchObject({
        firstName: 'Maria',
        lastName: 'Agnesi',
        title: 'Dott.',
        emailAddress: 'maria@example.org',
        phoneNumber: '+39 1',
      })

      const changed = await update('customers', createdRecord.remoteId, {
        lastName: 'Gaetana',
        phone: null,
      })
      expect(changed).toMatchObject({ firstName: 'Maria', lastName: 'Gaetana', phone: null })
      expect(await readCustomer(shop.vendure, createdRecord.remoteId)).toMatchObject({
        firstName: 'Maria',
        lastName: 'Gaetana',
        phoneNumber: null,
      })

      await remove('customers', createdRecord.remoteId)
      expect(await readCustomer(shop.vendure, createdRecord.remoteId)).toBeNull()
      expect(await get('customers', createdRecord.remoteId)).toBeUndefined()
    })

    test('is rejected in Vendure’s words, with the field that it names', async () => {
      await createCustomer(shop.vendure, {
        firstName: 'Emmy',
        lastName: 'Noether',
        emailAddress: 'emmy@example.org',
      })
      const duplicate = { firstName: 'E', lastName: 'N', email: 'emmy@example.org' }
      expect(await refusal(create('customers', duplicate))).toMatchObject({
        code: 'APP_REFUSED',
        kind: 'refused',
        field: 'emailAddress',
        reason: 'EMAIL_ADDRESS_CONFLICT_ERROR: The email address is not available.',
      })
      const other = { ...duplicate, email: 'other@example.org' }
      expect(await refusal(create('customers', other, { shoeSize: 44 }))).toMatchObject({
        code: 'APP_REFUSED',
        field: 'shoeSize',
        reason: 'BAD_USER_INPUT: Field "shoeSize" is not defined by type "CreateCustomerInput".',
      })
    })

    test('is rejected with the path of an invalid value', async () => {
      const person = { firstName: 'E', lastName: 'N', email: 'path@example.org' }
      expect(await refusal(create('customers', person, { title: 5 }))).toMatchObject({
        code: 'APP_REFUSED',
        field: 'title',
        reason: 'BAD_USER_INPUT: String cannot represent a non string value: 5',
      })
    })

    test('with values that Vendure cannot store is not sent', async () => {
      expect(
        await refusal(create('customers', { firstName: 'A', email: 'a@example.org' })),
      ).toMatchObject({ name: 'WriteRejection', field: 'lastName' })
    })

    test('that is missing is reported as absent', async () => {
      const gone = await create('customers', {
        firstName: 'G',
        lastName: 'G',
        email: 'gone@example.org',
      })
      const stored = storedAs('customers', await get('customers', gone.remoteId))
      await remove('customers', gone.remoteId)
      const writer = topicOf('customers').write
      for (const steps of [
        writer.update?.steps({ fields: { firstName: 'H' }, remoteFields: {} }, stored, attempt()),
        writer.delete?.steps(stored, attempt()),
      ]) {
        if (!steps) throw new Error('no such operation')
        expect(await refusal(shop.driver.run<unknown>(steps))).toMatchObject({ kind: 'absent' })
      }
    })

    test('is not written with a read-only key, which stays valid', async () => {
      const { apiKey } = await createKey(shop.vendure, READING)
      const reader = createStepRunner(connector, { url: shop.vendure.url, apiKey })
      const steps = topicOf('customers').write.create?.steps(
        {
          fields: { firstName: 'R', lastName: 'R', email: 'r@example.org' },
          remoteFields: {},
        },
        attempt(),
      )
      if (!steps) throw new Error('no such operation')
      expect(await refusal(reader.run(steps))).toMatchObject({
        code: 'APP_REFUSED',
        reason: expect.stringMatching(/^FORBIDDEN: .*permission/),
      })
      await reader.stop()
    })
  })
