/** Entry point of the Connect UI: waits for the opening message of the embedding page and runs its task. */
import { createClient, TrunklineError } from '../../sdk/client.ts'
import { type FrameMessage, isOpening, type ModalOpening } from '../../sdk/messages.ts'
import { authenticate } from './authenticate.ts'
import { element } from './dom.ts'
import { createFrame, problemText } from './frame.ts'
import { install } from './install.ts'

const open = ({ token, task }: ModalOpening, port: MessagePort): void => {
  const send = (message: FrameMessage): void => port.postMessage(message)
  const close = (): void => send({ kind: 'done' })
  const frame = createFrame(document.body, close)
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close()
  })
  try {
    const session = {
      frame,
      close,
      client: createClient(new URL('.', location.href).href, token),
      report: (outcome: Extract<FrameMessage, { kind: 'outcome' }>['outcome']) =>
        send({ kind: 'outcome', outcome }),
    }
    if (task.kind === 'install') install(session, task)
    else authenticate(session, task)
  } catch (error) {
    if (!(error instanceof TrunklineError)) throw error
    frame.show({
      title: 'Something went wrong',
      content: [element('p', { class: 'problem', role: 'alert' }, problemText(error))],
    })
  }
}

const listener = ({ data, source, ports }: MessageEvent<unknown>): void => {
  const [port] = ports
  // Only the embedding page may open it. Any page may embed it, because it must bring a token.
  if (source !== parent || !port || !isOpening(data)) return
  removeEventListener('message', listener)
  open(data, port)
}
addEventListener('message', listener)
