/** Entry point of the Connect UI: waits for the opening message of the embedding page and runs its task. */
import { type Appearance, isColor, isLogoUrl } from '../../sdk/appearance.ts'
import { createClient, TrunklineError } from '../../sdk/client.ts'
import { type FrameMessage, isOpening, type ModalOpening } from '../../sdk/messages.ts'
import { authenticate } from './authenticate.ts'
import { paletteOf } from './colors.ts'
import { element } from './dom.ts'
import { createFrame, problemText } from './frame.ts'
import { install } from './install.ts'
import { loadTexts } from './strings/texts.ts'

/** The valid values of an appearance that may come from any page. */
const readAppearance = ({ name, logoUrl, color }: Appearance): Appearance => ({
  ...(typeof name === 'string' && { name }),
  ...(isLogoUrl(logoUrl) && { logoUrl }),
  ...(isColor(color) && { color }),
})

const applyColor = ({ color }: Appearance): void => {
  if (color === undefined) return
  for (const [property, value] of Object.entries(paletteOf(color)))
    document.documentElement.style.setProperty(property, value)
}

const open = async (opening: ModalOpening, port: MessagePort): Promise<void> => {
  const { token, task, locales = [] } = opening
  const send = (message: FrameMessage): void => port.postMessage(message)
  const close = (): void => send({ kind: 'done' })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close()
  })
  const appearance = readAppearance(opening.appearance ?? {})
  applyColor(appearance)
  const texts = await loadTexts([...locales, ...navigator.languages])
  document.documentElement.lang = texts.language
  document.title = texts.text('connect.submit')
  if (opening.locales) send({ kind: 'title', title: texts.text('apps.title') })
  const frame = createFrame({ root: document.body, texts, appearance, close })
  try {
    const session = {
      frame,
      texts,
      appearance,
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
      title: texts.text('error.title'),
      content: [element('p', { class: 'problem', role: 'alert' }, problemText(texts, error))],
    })
  }
}

const listener = ({ data, source, ports }: MessageEvent<unknown>): void => {
  const [port] = ports
  // Only the embedding page may open it. Any page may embed it, because it must bring a token.
  if (source !== parent || !port || !isOpening(data)) return
  removeEventListener('message', listener)
  void open(data, port)
}
addEventListener('message', listener)
