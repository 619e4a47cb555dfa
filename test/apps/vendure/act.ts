import { resultOf, type Variables } from './operation.ts'
import type { Vendure } from './start.ts'

/** Sends a mutation to the Admin API. @returns the value of its only root field. @throws VendureError */
export async function act<Result>(
  vendure: Vendure,
  mutation: string,
  variables: Variables,
): Promise<Result> {
  return resultOf<Result>(await vendure.admin(mutation, variables))
}
