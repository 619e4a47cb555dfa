/** The screen that connects one app: a form with the fields of its credential. */

import type { ConnectableApp, ConnectableAppField } from '../../generated/sdk-types.ts'
import { type Client, TrunklineError } from '../../sdk/client.ts'
import { element, toLabel } from './dom.ts'
import { problemText, type Screen } from './frame.ts'

const inputOf = ({ name, description, required, secret, example }: ConnectableAppField) => {
  const input = element('input', {
    id: name,
    name,
    required,
    type: secret ? 'password' : 'text',
    maxlength: 4096,
    // Otherwise a password manager offers the password of the page for the app's key.
    autocomplete: secret ? 'new-password' : 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    placeholder: example ?? undefined,
    'aria-describedby': `${name}-about ${name}-problem`,
  })
  const problem = element('p', { id: `${name}-problem`, class: 'problem' })
  const label = toLabel(name) + (required ? '' : ' (optional)')
  return {
    name,
    input,
    problem,
    row: element(
      'div',
      { class: 'field' },
      element('label', { for: name }, label),
      input,
      element('p', { id: `${name}-about`, class: 'about' }, description),
      problem,
    ),
  }
}

/** Inputs of the screen. */
export interface ConnectApp {
  readonly client: Client
  readonly app: ConnectableApp
  readonly onConnected: (credentialId: string) => void
  readonly back: (() => void) | undefined
}

/** The form. Errors of the service are shown next to the field that they are about. */
export const connectAppScreen = ({ client, app, onConnected, back }: ConnectApp): Screen => {
  const inputs = app.fields.map(inputOf)
  const button = element('button', { class: 'main' }, 'Connect')
  const alert = element('p', { class: 'problem', role: 'alert' })

  const anyway = element(
    'button',
    { type: 'button', class: 'second', hidden: true, click: () => void connect(false) },
    'Connect anyway',
  )

  const showError = (error: TrunklineError): void => {
    anyway.hidden = error.code !== 'APP_UNAVAILABLE'
    const problems = new Map(error.details.map(({ field, expected }) => [field, expected]))
    for (const { name, input, problem } of inputs) {
      const expected = problems.get(`credential.${name}`)
      problem.textContent = expected === undefined ? '' : `Expected ${expected}.`
      input.setAttribute('aria-invalid', String(expected !== undefined))
    }
    const first = inputs.find(({ name }) => problems.has(`credential.${name}`))
    alert.textContent = first ? 'Check the highlighted fields.' : problemText(error)
    first?.input.focus()
  }

  const connect = async (requireResponse: boolean): Promise<void> => {
    // Empty optional fields are left out.
    const entries = inputs.flatMap(({ name, input: { value } }) => (value ? [[name, value]] : []))
    button.disabled = true
    anyway.disabled = true
    try {
      const credential = Object.fromEntries(entries)
      const { userId } = client
      onConnected(
        await client.create<string>(
          '2024-03/headless/credentials',
          { userId, app: app.app, credential, requireResponse },
          'credentialId',
        ),
      )
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      showError(error)
    } finally {
      button.disabled = false
      anyway.disabled = false
    }
  }

  const submit = (event: Event): void => {
    event.preventDefault()
    void connect(true)
  }
  const form = element('form', { submit }, ...inputs.map(({ row }) => row), alert, button, anyway)
  return {
    title: `Connect ${app.name}`,
    content: [element('p', {}, app.description), form],
    ...(back && { back }),
  }
}
