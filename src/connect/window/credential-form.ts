/** The form with the values that an app requires. Errors of the service are shown next to the field that they are about. */
import type { ConnectableAppField } from '../../generated/sdk-types.ts'
import { TrunklineError } from '../../sdk/client.ts'
import { type Child, element } from './dom.ts'
import { problemText } from './frame.ts'
import type { Texts } from './strings/texts.ts'

const inputOf = (
  { name, label, description, required, secret, example }: ConnectableAppField,
  { text }: Texts,
) => {
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
  return {
    name,
    input,
    problem,
    row: element(
      'div',
      { class: 'field' },
      element('label', { for: name }, required ? label : text('connect.optional', { label })),
      input,
      element('p', { id: `${name}-about`, class: 'about' }, description),
      problem,
    ),
  }
}

/** Values by the name of their field. Empty ones are left out. */
export type FormValues = Readonly<Record<string, string>>

export interface CredentialFormOptions {
  readonly texts: Texts
  readonly fields: readonly ConnectableAppField[]
  /** The text of the button that submits the form. */
  readonly submitText: string
  /** Runs in the event of the click. Errors of the service are shown in the form. */
  readonly submit: (values: FormValues) => Promise<void>
  /** Called with each error of the service. */
  readonly onProblem?: (error: TrunklineError) => void
  /** Shown between the fields and the buttons. */
  readonly before?: Child
  /** Shown after the button. */
  readonly after?: Child
}

export interface CredentialForm {
  readonly form: HTMLFormElement
  /** Runs an action with the values as submitting does. */
  run(action: (values: FormValues) => Promise<void>): Promise<void>
}

/** Creates the form. */
export const createCredentialForm = (options: CredentialFormOptions): CredentialForm => {
  const { texts, fields, submitText, onProblem } = options
  const { text } = texts
  const inputs = fields.map((field) => inputOf(field, texts))
  const button = element('button', { class: 'main' }, submitText)
  const alert = element('p', { class: 'problem', role: 'alert' })

  const showError = (error: TrunklineError): void => {
    onProblem?.(error)
    const problems = new Map(error.details.map(({ field, expected }) => [field, expected]))
    for (const { name, input, problem } of inputs) {
      const expected = problems.get(`credential.${name}`)
      problem.textContent = expected === undefined ? '' : text('connect.expected', { expected })
      input.setAttribute('aria-invalid', String(expected !== undefined))
    }
    const first = inputs.find(({ name }) => problems.has(`credential.${name}`))
    alert.textContent = first ? text('connect.checkFields') : problemText(texts, error)
    first?.input.focus()
  }

  const run = async (action: (values: FormValues) => Promise<void>): Promise<void> => {
    const entries = inputs.flatMap(({ name, input: { value } }) => (value ? [[name, value]] : []))
    if (form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      await action(Object.fromEntries(entries))
    } catch (error) {
      if (!(error instanceof TrunklineError)) throw error
      showError(error)
    } finally {
      form.ariaBusy = null
    }
  }

  const form = element(
    'form',
    {
      submit: (event) => {
        event.preventDefault()
        void run(options.submit)
      },
    },
    ...inputs.map(({ row }) => row),
    options.before,
    alert,
    button,
    options.after,
  )
  return { form, run }
}
