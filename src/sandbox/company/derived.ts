/** Records of the collections that the company's own events do not write. */
import { catalogue } from '../../generated/catalogue.ts'
import { derivedKinds, type KindName, kindNames, kinds } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'
import type { SimulatedEvent } from './event.ts'
import { type FindIds, sampleOf } from './samples.ts'

const COUNT = 12

/** Finds ids of a topic, or of the entries of a list in its records. */
const openIds = async (workspace: Workspace): Promise<FindIds> => {
  const live = new Map<string, readonly { readonly id: string; readonly fields: object }[]>()
  for (const kind of kindNames) live.set(kinds[kind].topic, await workspace.where(kind))
  return (target) => {
    const [topic = '', list] = target.split('.')
    const records = live.get(topic) ?? []
    if (list === undefined) return records.map(({ id }) => id)
    return records
      .flatMap(({ fields }): unknown => Object(fields)[list] ?? [])
      .map((entry) => String(Object(entry).id))
  }
}

/** Adds records to each derived collection, first to those that others reference. */
export const addDerived: SimulatedEvent = async (workspace, random) => {
  const pending = new Map(derivedKinds)
  const fill = async (topic: string, kind: KindName): Promise<void> => {
    pending.delete(topic)
    for (const { kind } of Object.values(catalogue.get(topic).fields)) {
      const target = kind.reference && pending.get(kind.reference.target)
      if (kind.reference && target) await fill(kind.reference.target, target)
    }
    for (let index = 0; index < COUNT; index++) {
      const findIds = await openIds(workspace)
      await workspace.create(kind, sampleOf(kind, workspace, random, { findIds }))
    }
  }
  for (const [topic, kind] of derivedKinds) if (pending.has(topic)) await fill(topic, kind)
}
