/** The screen that disconnects an account, once the end user confirms it. */
import type { ConnectableApp, Credential } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { element } from './dom.ts'
import { credentialPath, runTaskStep, type Session } from './session.ts'

export interface Disconnection {
  readonly app: ConnectableApp
  readonly credential: Credential
  /** Returns to the account. */
  readonly back: () => void
  readonly onDisconnected: () => void
}

/** Shows what disconnecting deletes, and asks for a confirmation. */
export const confirmDisconnect = (session: Session, disconnection: Disconnection): void => {
  const { client, frame, texts } = session
  const { text } = texts
  const { app, credential, back, onDisconnected } = disconnection
  const disconnect = (): void =>
    runTaskStep(
      session,
      async () => {
        try {
          await client.delete(credentialPath(session, credential.credentialId))
        } catch (error) {
          // The response to an earlier attempt was lost.
          const isGone = error instanceof TrunklineError && error.code === 'CREDENTIAL_NOT_FOUND'
          if (!isGone) throw error
        }
        onDisconnected()
      },
      back,
    )
  frame.show({
    title: text('account.disconnectTitle', { account: credential.label ?? app.name }),
    content: [
      element('p', {}, text('account.disconnectAbout', { app: app.name })),
      element(
        'div',
        { class: 'actions' },
        element('button', { type: 'button', class: 'second', click: back }, text('cancel')),
        element(
          'button',
          { type: 'button', class: 'second bad', click: disconnect },
          text('account.disconnect'),
        ),
      ),
    ],
    back,
  })
}
