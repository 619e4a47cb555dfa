/** Thrown where a plan cannot produce the result: the resolvers run the operation instead. */
export class NotPlannedError extends Error {}
