/** Events in the life of the company. They write its history and, later, what happens while the sandbox runs. */
import type { KindInput, KindName, SandboxRecord } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Condition, Workspace } from '../workspace.ts'
import { sampleOf } from './samples.ts'

/** Applies one event. Resolves to false, without a write, if no record is suitable. */
export type SimulatedEvent = (workspace: Workspace, random: Random) => Promise<unknown>

/** Events by name, each with how often it happens in a round of the simulation. */
export type Events = Readonly<Record<string, readonly [times: number, event: SimulatedEvent]>>

/** A random record that satisfies a condition, among the `oldest` of them; undefined if there is none. */
export const pickRecord = async <K extends KindName>(
  workspace: Workspace,
  random: Random,
  kind: K,
  condition?: Condition<K>,
  oldest?: number,
): Promise<SandboxRecord<K> | undefined> => {
  const records = (await workspace.where(kind, condition)).slice(0, oldest)
  return records.length > 0 ? random.pick(records) : undefined
}

/** An event that creates a record with sample values, except for those of `more`. */
export const creationOf =
  <K extends KindName>(
    kind: K,
    more: (
      workspace: Workspace,
      random: Random,
    ) => Partial<KindInput<K>> | Promise<Partial<KindInput<K>>> = () => ({}),
  ): SimulatedEvent =>
  async (workspace, random) => {
    const stated = await more(workspace, random)
    const input = { ...(await sampleOf(kind, workspace, random)), ...stated }
    return workspace.create(kind, input)
  }

/** An event that changes one of the `oldest` records that satisfy a condition. */
export const updateOf =
  <K extends KindName>(
    kind: K,
    { condition, oldest }: { readonly condition?: Condition<K>; readonly oldest?: number },
    change: (
      fields: SandboxRecord<K>['fields'],
      random: Random,
      workspace: Workspace,
    ) => Partial<KindInput<K>> | Promise<Partial<KindInput<K>>>,
  ): SimulatedEvent =>
  async (workspace, random) => {
    const record = await pickRecord(workspace, random, kind, condition, oldest)
    return record ? workspace.update(record, await change(record.fields, random, workspace)) : false
  }

/** An event that gives one field of a record another value. */
export const changeOf = <K extends KindName>(kind: K, name: keyof KindInput<K>): SimulatedEvent =>
  updateOf(kind, {}, async (_, random, workspace) => {
    const input: Partial<KindInput<K>> = {}
    input[name] = (await sampleOf(kind, workspace, random))[name]
    return input
  })

/** An event that deletes one of the oldest records. */
export const removalOf =
  (kind: KindName): SimulatedEvent =>
  async (workspace, random) => {
    const record = await pickRecord(workspace, random, kind, {}, 20)
    return record ? workspace.remove(record) : false
  }
