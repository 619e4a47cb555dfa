/** Outcome of multi-request writes: what a failure leaves in the app decides it. */
import { describe, expect, test } from 'vitest'
import { type AppRequest, type Steps, WriteRejection } from '../../src/definition/connector.ts'
import {
  AppAuthenticationError,
  AppRateLimitedError,
  AppRefusedError,
  AppUnavailableError,
} from '../../src/outbound/app-error.ts'
import { runSteps } from '../../src/write/run-steps.ts'

const facts = { app: 'shop', appName: 'Shop', request: 'POST /x', reason: 'because' }
const connector = { app: 'shop', name: 'Shop' }
const response = { status: 200, headers: {}, body: {} }

function* steps(): Steps<string> {
  yield { method: 'GET', path: '/first' }
  yield { method: 'POST', path: '/second' }
  yield { method: 'POST', path: '/third' }
  return 'done'
}

/** Fails the request to this path. */
const failAt =
  (path: string, error: Error) =>
  async (request: AppRequest): Promise<typeof response> => {
    if (request.path === path) throw error
    return response
  }

const certain = [
  ['a rate limit', new AppRateLimitedError(facts, 1)],
  ['an open circuit breaker', new AppUnavailableError(facts, 'circuit-open')],
  ['an unknown host', new AppUnavailableError({ ...facts, reason: 'ECONNREFUSED' }, 'network')],
  ['a rejected credential', new AppAuthenticationError(facts)],
] as const
const refusals = [
  ['a rejection by the app', new AppRefusedError(facts, 'refused')],
  ['a rejection by the connector', new WriteRejection('no')],
] as const
const broken = [
  ['a timeout', new AppUnavailableError(facts, 'deadline')],
  ['a failure of the app', new AppUnavailableError(facts, 'server')],
] as const

test('successful steps return their result', async () => {
  const outcome = await runSteps(connector, steps(), async () => response)
  expect(outcome).toEqual({ status: 'done', result: 'done' })
})

describe('before anything has changed', () => {
  test.each([...certain, ...refusals])('%s is a rejection', async (_what, error) => {
    const outcome = await runSteps(connector, steps(), failAt('/second', error))
    expect(outcome).toEqual({ status: 'refused', error })
  })
  test.each(broken)('%s leaves the outcome unknown', async (_what, cause) => {
    const outcome = await runSteps(connector, steps(), failAt('/second', cause))
    expect(outcome).toEqual({ status: 'unknown', cause })
  })
  test.each(broken)('%s on a read changes nothing', async (_what, error) => {
    const outcome = await runSteps(connector, steps(), failAt('/first', error))
    expect(outcome).toEqual({ status: 'refused', error })
  })
  test('a bug in the connector is thrown', async () => {
    const defect = new TypeError('undefined is not a function')
    await expect(runSteps(connector, steps(), failAt('/first', defect))).rejects.toBe(defect)
  })
  test('a response that the connector cannot read is a failure of the app, which names the request', async () => {
    function* unreadableSteps(): Steps<string> {
      yield { method: 'GET', path: '/first' }
      throw new TypeError('undefined is not an object')
    }
    expect(await runSteps(connector, unreadableSteps(), async () => response)).toMatchObject({
      status: 'refused',
      error: {
        code: 'APP_UNAVAILABLE',
        problem: 'malformed',
        request: 'GET /first',
        reason: 'the response does not have the expected form',
      },
    })
  })
})

describe('after something has changed', () => {
  test.each([...certain, ...broken, ['a defect', new TypeError()] as const])(
    '%s leaves the outcome unknown',
    async (_what, cause) => {
      const outcome = await runSteps(connector, steps(), failAt('/third', cause))
      expect(outcome).toEqual({ status: 'unknown', cause })
    },
  )
  test.each(refusals)('%s leaves the record partly written', async (_what, refusal) => {
    const outcome = await runSteps(connector, steps(), failAt('/third', refusal))
    expect(outcome).toEqual({ status: 'partly-written', refusal })
  })

  function* undoingSteps(): Steps<string> {
    try {
      return yield* steps()
    } catch (error) {
      yield { method: 'DELETE', path: '/second', undo: true }
      throw error
    }
  }

  test.each([...certain, ...refusals])(
    '%s is a rejection once everything is undone',
    async (_what, error) => {
      const outcome = await runSteps(connector, undoingSteps(), failAt('/third', error))
      expect(outcome).toEqual({ status: 'refused', error })
    },
  )

  test('a rejection of the undo leaves the record partly written', async () => {
    const refusal = new AppRefusedError(facts, 'refused')
    const send = async ({ path, undo }: AppRequest): Promise<typeof response> => {
      if (path === '/third' || undo) throw refusal
      return response
    }
    expect(await runSteps(connector, undoingSteps(), send)).toEqual({
      status: 'partly-written',
      refusal,
    })
  })
})
