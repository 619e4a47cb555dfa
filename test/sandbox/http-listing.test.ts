/** Listings of the sandbox app, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kinds } from '../../src/sandbox/kinds/kinds.ts'
import {
  BEGINNING,
  errorBody,
  openSandboxHarness,
  type SandboxHarness,
  START,
} from './sandbox-harness.ts'

let harness: SandboxHarness
beforeAll(async () => {
  harness = await openSandboxHarness()
})
afterAll(() => harness.stop())

describe('a listing', () => {
  test('shows every record of every kind once, with any page size', async () => {
    for (const kind of Object.keys(kinds)) {
      const whole = await harness.listAll(kind)
      const paged = await harness.listAll(kind, BEGINNING, 7)
      expect(paged.map(({ id }) => id)).toEqual(whole.map(({ id }) => id))
      expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length)
    }
  })

  test('starts at the requested instant, inclusive', async () => {
    const all = await harness.listAll('invoices', BEGINNING)
    const middle = all[30]?.modified ?? ''
    const later = await harness.listAll('invoices', middle)
    expect(later).toEqual(all.filter(({ modified }) => modified >= middle))
  })

  test('is rejected with the name of the parameter', async () => {
    const wrong = {
      limit: ['0', '251', 'x', '-1', '1e2'],
      modified_since: ['yesterday', '2026-13-01T00:00:00Z', ''],
      after: ['x', '', Buffer.from('2026-03-02 ven_0001').toString('base64url')],
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values) {
        const query = new URLSearchParams({ [field]: value })
        const { status, body } = await harness.request('GET', `/v1/vendors?${query}`)
        expect(status, `${field}=${value}`).toBe(422)
        expect(body).toEqual(errorBody('invalid', field))
      }
  })

  test('misses no record and no change while writers are at work', async () => {
    const { request, listAll } = harness
    const known = await listAll('leads')
    const written = new Map<string, number>()
    const writeRecords = async (part: number): Promise<void> => {
      for (let turn = 0; turn < 12; turn++) {
        const created = await request('POST', '/v1/leads', {
          body: { lastName: `W${part}-${turn}` },
        })
        written.set(created.body.id, 1)
        const other = known[part * 12 + turn]
        if (!other) throw new Error('There are fewer leads than turns.')
        const changed = await request('PUT', `/v1/leads/${other.id}`, {
          body: { leadTitle: `Turn ${turn}` },
          headers: { 'if-match': String(other.version) },
        })
        expect(changed.status).toBe(200)
        written.set(other.id, changed.body.version)
      }
    }
    // A reader that resumes from the newest instant it has seen, as a sync does.
    const seen = new Map<string, number>()
    let since = BEGINNING
    const readOnce = async (): Promise<void> => {
      for (const { id, version, modified } of await listAll('leads', since, 5)) {
        seen.set(id, Math.max(seen.get(id) ?? 0, version))
        if (modified > since) since = modified
      }
    }
    let atWork = true
    const reading = (async () => {
      while (atWork) await readOnce()
    })()
    await Promise.all([0, 1, 2].map(writeRecords))
    atWork = false
    await reading
    await readOnce()
    for (const [id, version] of written) expect(seen.get(id), id).toBe(version)
    for (const { id } of known) expect(seen.has(id), id).toBe(true)
    const instants = (await listAll('leads', START)).map(({ modified }) => modified)
    expect(new Set(instants).size).toBe(instants.length)
    expect(written.size).toBe(72)
  })
})
