/** Events in the life of the company. They write its history and, later, what happens while the sandbox runs. */
import type { KindInput, KindName, SandboxRecord } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Condition, Workspace } from '../workspace.ts'
import { pickSubject, type Subject, sampleOf } from './samples.ts'

/** What an event works with. */
export interface EventContext {
  readonly workspace: Workspace
  readonly random: Random
  /**
   * A random record that satisfies a condition; undefined if there is none.
   * @param oldest only among so many of the oldest; negative: not among so many of the newest
   */
  pick<K extends KindName>(
    kind: K,
    condition?: Condition<K>,
    oldest?: number,
  ): Promise<SandboxRecord<K> | undefined>
  /** Sample values of a new record, about a random subject except for the parts in `known`. */
  sample<K extends KindName>(kind: K, known?: Partial<Subject>): Promise<KindInput<K>>
}

/** Creates the context of an event in a workspace. */
export const eventContext = (workspace: Workspace, random: Random): EventContext => ({
  workspace,
  random,
  pick: async (kind, condition, oldest) => {
    const records = (await workspace.where(kind, condition)).slice(0, oldest)
    return records.length > 0 ? random.pick(records) : undefined
  },
  sample: (kind, known) => sampleOf(kind, workspace, random, pickSubject(random, known)),
})

/** Applies one event. Resolves to false, without a write, if no record is suitable. */
export type SimulatedEvent = (context: EventContext) => Promise<unknown>

/** Events by name, each with how often it happens in a round of the simulation. */
export type Events = Readonly<Record<string, readonly [times: number, event: SimulatedEvent]>>

/** The fields of a write; undefined: the event is not possible. */
type Stated<K extends KindName> = Partial<KindInput<K>> | undefined

/** An event that creates a record with sample values, except for those of `state`. */
export const creationOf =
  <K extends KindName>(
    kind: K,
    state: (context: EventContext) => Promise<Stated<K>> = async () => ({}),
  ): SimulatedEvent =>
  async (context) => {
    const stated = await state(context)
    if (!stated) return false
    return context.workspace.create(kind, { ...(await context.sample(kind)), ...stated })
  }

/** An event that changes a record: one of the `oldest` that satisfy a condition, as `pick` finds it. */
export const updateOf =
  <K extends KindName>(
    kind: K,
    { condition, oldest }: { readonly condition?: Condition<K>; readonly oldest?: number },
    state: (
      fields: SandboxRecord<K>['fields'],
      context: EventContext,
    ) => Partial<KindInput<K>> | Promise<Partial<KindInput<K>>>,
  ): SimulatedEvent =>
  async (context) => {
    const record = await context.pick(kind, condition, oldest)
    if (!record) return false
    return context.workspace.update(record, await state(record.fields, context))
  }

/** An event that gives one field of a record another value. */
export const changeOf = <K extends KindName>(kind: K, name: keyof KindInput<K>): SimulatedEvent =>
  updateOf(kind, {}, async (_, { sample }) => {
    const input: Partial<KindInput<K>> = {}
    input[name] = (await sample(kind))[name]
    return input
  })

/** An event that deletes one of the oldest records. */
export const removalOf =
  (kind: KindName): SimulatedEvent =>
  async ({ pick, workspace }) => {
    const record = await pick(kind, {}, 20)
    return record ? workspace.remove(record) : false
  }
