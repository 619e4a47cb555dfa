/** The window: waits for the page that holds it, and does what it was opened for. */
import { createClient, TrunklineError } from '../../sdk/client.ts'
import { isOpening, type Opening, type Told } from '../../sdk/messages.ts'
import { authenticate } from './authenticate.ts'
import { element } from './dom.ts'
import { createFrame, problemText } from './frame.ts'
import { install } from './install.ts'

const open = ({ token, task }: Opening, port: MessagePort): void => {
  const say = (told: Told): void => port.postMessage(told)
  const close = (): void => say({ kind: 'done' })
  const frame = createFrame(document.body, close)
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close()
  })
  try {
    const session = {
      ...{ frame, close, client: createClient(new URL('.', location.href).href, token) },
      tell: (outcome: Extract<Told, { kind: 'outcome' }>['outcome']) =>
        say({ kind: 'outcome', outcome }),
    }
    if (task.kind === 'install') install(session, task)
    else authenticate(session, task)
  } catch (error) {
    if (!(error instanceof TrunklineError)) throw error
    frame.show({
      title: 'That did not work',
      content: [element('p', { class: 'problem', role: 'alert' }, problemText(error))],
    })
  }
}

const listener = ({ data, source, ports }: MessageEvent<unknown>): void => {
  const [port] = ports
  // The page that holds the window alone; whatever it is, it has to bring a token.
  if (source !== parent || !port || !isOpening(data)) return
  removeEventListener('message', listener)
  open(data, port)
}
addEventListener('message', listener)
