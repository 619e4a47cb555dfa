/** Connecting one app: what it asks for, as a form. */

import type { ConnectableApp, ConnectableAppField } from '../../generated/sdk-types.ts'
import { type Client, TrunklineError } from '../../sdk/client.ts'
import { element, words } from './dom.ts'
import { problemText, type Screen } from './frame.ts'

const inputOf = ({ name, description, required, secret, example }: ConnectableAppField) => {
  const input = element('input', {
    ...{ id: name, name, required, type: secret ? 'password' : 'text', maxlength: 4096 },
    // A password manager would offer the page's own password for the app's key.
    ...{
      autocomplete: secret ? 'new-password' : 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
    },
    ...{ placeholder: example ?? undefined, 'aria-describedby': `${name}-about ${name}-problem` },
  })
  const problem = element('p', { id: `${name}-problem`, class: 'problem' })
  const label = words(name) + (required ? '' : ' (optional)')
  return {
    ...{ name, input, problem },
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

export interface ConnectApp {
  readonly client: Client
  readonly app: ConnectableApp
  readonly connected: (credentialId: string) => void
  readonly back: (() => void) | undefined
}

/** The form; what the service refuses stands beside its field. */
export const connectAppScreen = ({ client, app, connected, back }: ConnectApp): Screen => {
  const inputs = app.fields.map(inputOf)
  const button = element('button', { class: 'main' }, 'Connect')
  const alert = element('p', { class: 'problem', role: 'alert' })

  const tell = (error: TrunklineError): void => {
    const problems = new Map(error.details.map(({ field, expected }) => [field, expected]))
    for (const { name, input, problem } of inputs) {
      const expected = problems.get(`credential.${name}`)
      problem.textContent = expected === undefined ? '' : `Expected ${expected}.`
      input.setAttribute('aria-invalid', String(expected !== undefined))
    }
    const first = inputs.find(({ name }) => problems.has(`credential.${name}`))
    alert.textContent = first ? 'Look at what is marked.' : problemText(error)
    first?.input.focus()
  }

  const connect = async (): Promise<void> => {
    // What is optional and left empty is not given.
    const given = inputs.flatMap(({ name, input: { value } }) => (value ? [[name, value]] : []))
    button.disabled = true
    try {
      const credential = Object.fromEntries(given)
      const { userId } = client
      connected(
        await client.create<string>(
          '2024-03/headless/credentials',
          { userId, app: app.app, credential },
          'credentialId',
        ),
      )
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      tell(error)
    } finally {
      button.disabled = false
    }
  }

  const submit = (event: Event): void => {
    event.preventDefault()
    void connect()
  }
  const form = element('form', { submit }, ...inputs.map(({ row }) => row), alert, button)
  return {
    title: `Connect ${app.name}`,
    content: [element('p', {}, app.description), form],
    ...(back && { back }),
  }
}
