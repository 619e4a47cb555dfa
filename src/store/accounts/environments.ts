/** The environments of organisations. */

import type { Database } from '../database/database.ts'
import type { EnvironmentKind } from './api-key.ts'

/** Finds or creates an organization and its environment. @returns the environment's id */
export const ensureEnvironment = async (
  { prisma }: Database,
  organisation: string,
  kind: EnvironmentKind,
): Promise<string> => {
  const { id: organisationId } = await prisma.organisation.upsert({
    where: { name: organisation },
    create: { name: organisation },
    update: {},
  })
  const { id } = await prisma.environment.upsert({
    where: { organisationId_kind: { organisationId, kind } },
    create: { organisationId, kind },
    update: {},
  })
  return id
}
