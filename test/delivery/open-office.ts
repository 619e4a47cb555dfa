/** The office and the receiver that the tests of a file share. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openPostOffice, type PostOffice } from './post-office.ts'
import { type Receiver, startReceiver } from './receiver.ts'

export interface OpenOffice {
  readonly office: PostOffice
  readonly receiver: Receiver
}

/** Opens both before the tests of the file; after each test nothing is sent, subscribed or received. */
export const openOffice = (opened: (both: OpenOffice) => void): void => {
  let office: PostOffice
  let receiver: Receiver
  beforeAll(async () => {
    office = await openPostOffice()
    receiver = await startReceiver()
    opened({ office, receiver })
  })
  afterEach(async () => {
    await office.stopAll()
    await office.database.prisma.webhookSubscription.deleteMany()
    receiver.clear()
  })
  afterAll(async () => {
    await office.close()
    await receiver.stop()
  })
}
