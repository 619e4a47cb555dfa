/** The environments of organisations. */
import type { EnvironmentKind } from '../api-key.ts'
import type { Database } from './database.ts'

/** The environment of an organisation; both are made if they are not there. @returns its id */
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
