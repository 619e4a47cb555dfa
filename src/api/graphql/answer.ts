/** The answers of subscriptions: each is made once, and written once, for all who asked the same. */
import type { ExecutionResult } from 'graphql'
import type { Change } from '../../store/changes.ts'
import type { ChangeEvent } from './event-stream.ts'

/** An answer that knows its JSON. */
export interface Answer extends ExecutionResult {
  /** Yoga asks for it in place of JSON.stringify. */
  stringify(): string
}

export const createAnswer = (result: ExecutionResult): Answer => {
  let text: string | undefined
  return {
    ...result,
    stringify: () => {
      text ??= JSON.stringify(result)
      return text
    },
  }
}

type Answers = Map<string, Answer | Promise<Answer>>

/** Of the records that answers are of, in UTF-16 units: who asks in many ways does not fill the process. */
const MAX_LENGTH = 64_000_000
/** What an answer takes beside its record. */
const OWN_LENGTH = 500

interface Kept {
  /** Gone once nobody is to be told of the change any more. */
  readonly answers: WeakRef<Answers>
  readonly selection: string
  readonly length: number
}

/** The oldest answers are forgotten where there are too many: whoever asks again has them made again. */
const createLimit = () => {
  const kept = new Set<Kept>()
  let length = 0
  return (answers: Answers, selection: string, { record }: Change): void => {
    const added = {
      answers: new WeakRef(answers),
      selection,
      length: OWN_LENGTH + (record?.length ?? 0),
    }
    kept.add(added)
    length += added.length
    for (const oldest of kept) {
      if (length <= MAX_LENGTH) return
      kept.delete(oldest)
      length -= oldest.length
      oldest.answers.deref()?.delete(oldest.selection)
    }
  }
}

/** The answers to what is asked of a change, as long as anybody is to be told of it. */
export const createSharedAnswers = () => {
  // By the change itself, which is of one environment: nobody of another is ever told of it.
  const inList = new WeakMap<Change, Answers>()
  const notInList = new WeakMap<Change, Answers>()
  const limit = createLimit()
  return {
    /** The answer to a selection, which is resolved unless it has been. */
    of: (
      { change, inFilter }: ChangeEvent,
      selection: string,
      resolve: () => Promise<ExecutionResult>,
    ): Answer | Promise<Answer> => {
      const answers = inFilter ? inList : notInList
      const ofChange: Answers = answers.get(change) ?? new Map()
      answers.set(change, ofChange)
      const known = ofChange.get(selection)
      if (known !== undefined) return known
      const made = resolve().then(createAnswer)
      ofChange.set(selection, made)
      limit(ofChange, selection, change)
      const forget = (): void => void ofChange.delete(selection)
      // Unless it is forgotten already.
      const keep = (answer: Answer): unknown =>
        ofChange.has(selection) && ofChange.set(selection, answer)
      // What failed may succeed for the next who asks.
      made.then((answer) => (answer.data ? keep(answer) : forget()), forget)
      return made
    },
  }
}
