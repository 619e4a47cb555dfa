/** Thrown where a plan has no answer: the resolvers run the operation instead. */
export class NotPlannedError extends Error {}
