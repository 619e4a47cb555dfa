/** Organisations, environments, end users and credentials. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { EnvironmentKind } from '../api-key.ts'
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { credentialRoute } from '../definition/identity.ts'
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

/** The end user of that name; made if not there. @returns the user's id */
export const ensureUser = async (
  { prisma }: Database,
  environmentId: string,
  username: string,
  fullName: string,
): Promise<string> => {
  const { id } = await prisma.endUser.upsert({
    where: { environmentId_username: { environmentId, username } },
    create: { environmentId, username, fullName },
    update: {},
  })
  return id
}

export interface NewCredential {
  readonly environmentId: string
  readonly userId: string
  readonly connector: Connector
  readonly values: CredentialValues
}

const isTaken = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'

/** Stores a credential; every resource of its app is due for its first listing. @returns its id */
export const createCredential = async (
  { prisma }: Database,
  { environmentId, userId, connector, values }: NewCredential,
): Promise<string> => {
  for (;;) {
    const id = randomUUID()
    try {
      await prisma.credential.create({
        data: {
          id,
          route: credentialRoute(id),
          environmentId,
          userId,
          app: connector.app,
          values,
          syncStates: { create: Object.keys(connector.resources).map((topic) => ({ topic })) },
        },
      })
      return id
    } catch (error) {
      // Two credentials may not share the first group of their ids: draw again.
      if (!isTaken(error)) throw error
    }
  }
}
