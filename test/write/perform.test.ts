/** Steps of several requests: once one has changed the app, a failure of the next is told as what it leaves behind. */
import { describe, expect, test } from 'vitest'
import { type AppRequest, type Steps, WriteRefusal } from '../../src/definition/connector.ts'
import {
  AppAuthenticationError,
  AppRateLimitedError,
  AppRefusedError,
  AppUnavailableError,
} from '../../src/outbound/app-error.ts'
import { OutcomeUnknownError, PartlyWrittenError, perform } from '../../src/sync/perform.ts'

const facts = { app: 'shop', request: 'POST /x', reason: 'because' }
const answer = { status: 200, headers: {}, body: {} }

function* steps(): Steps<string> {
  yield { method: 'GET', path: '/first' }
  yield { method: 'POST', path: '/second' }
  yield { method: 'POST', path: '/third' }
  return 'done'
}

/** Fails at one of the requests. */
const failingAt =
  (path: string, error: Error) =>
  async (request: AppRequest): Promise<typeof answer> => {
    if (request.path === path) throw error
    return answer
  }

const certain = [
  ['a limit on the rate', new AppRateLimitedError(facts, 1)],
  ['a circuit that is open', new AppUnavailableError(facts, 'circuit-open')],
  [
    'a host that is not there',
    new AppUnavailableError({ ...facts, reason: 'ECONNREFUSED' }, 'network'),
  ],
  ['a credential that is not accepted', new AppAuthenticationError(facts)],
] as const
const refusals = [
  ['a refusal', new AppRefusedError(facts, 'refused')],
  ['what the connector refuses', new WriteRefusal('no')],
] as const
const broken = [
  ['no answer in time', new AppUnavailableError(facts, 'deadline')],
  ['a failure of the app', new AppUnavailableError(facts, 'server')],
] as const

test('steps that succeed end with their result', async () => {
  expect(await perform(steps(), async () => answer)).toBe('done')
})

describe('before anything has changed', () => {
  test.each([...certain, ...refusals])('%s is told as it is', async (_what, error) => {
    await expect(perform(steps(), failingAt('/second', error))).rejects.toBe(error)
  })
  test.each(broken)('%s leaves it unknown', async (_what, error) => {
    const outcome = perform(steps(), failingAt('/second', error))
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError)
  })
  test.each(broken)('%s to a question changes nothing', async (_what, error) => {
    await expect(perform(steps(), failingAt('/first', error))).rejects.toBe(error)
  })
})

describe('after something has changed', () => {
  test.each([...certain, ...broken])('%s leaves it unknown', async (_what, error) => {
    const outcome = perform(steps(), failingAt('/third', error))
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknownError)
  })
  test.each(refusals)('%s says that a part is written', async (_what, error) => {
    const outcome = perform(steps(), failingAt('/third', error))
    await expect(outcome).rejects.toMatchObject({ name: 'PartlyWrittenError', refusal: error })
  })

  function* tidySteps(): Steps<string> {
    try {
      return yield* steps()
    } catch (error) {
      yield { method: 'DELETE', path: '/second', undo: true }
      throw error
    }
  }

  test.each([...certain, ...refusals])(
    '%s is told as it is once all is undone',
    async (_what, error) => {
      await expect(perform(tidySteps(), failingAt('/third', error))).rejects.toBe(error)
    },
  )

  test('a refusal of what would undo it says that a part is written', async () => {
    const refusal = new AppRefusedError(facts, 'refused')
    const send = async ({ path, undo }: AppRequest): Promise<typeof answer> => {
      if (path === '/third' || undo) throw refusal
      return answer
    }
    await expect(perform(tidySteps(), send)).rejects.toBeInstanceOf(PartlyWrittenError)
  })
})
