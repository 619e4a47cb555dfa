/** The page on which a user chooses an account and allows or denies access. */

export interface ConsentPage {
  readonly vendor: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
  /** Repeated in the form. */
  readonly parameters: Readonly<Record<string, string>>
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const renderHiddenInput = ([name, value]: readonly [string, string]): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`

const renderChoice = (
  { id, name }: { readonly id: string; readonly name: string },
  index: number,
): string =>
  `<label><input type="radio" name="account" value="${escapeHtml(id)}"${index === 0 ? ' checked' : ''}> ${escapeHtml(name)}</label><br>`

export const renderConsentPage = ({
  vendor,
  clientId,
  scopes,
  accounts,
  parameters,
}: ConsentPage): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(vendor)}: authorize</title></head>
<body>
<h1>${escapeHtml(vendor)}</h1>
<p>${escapeHtml(clientId)} requests: ${escapeHtml(scopes.join(', '))}</p>
<form method="post">
${Object.entries(parameters).map(renderHiddenInput).join('\n')}
<fieldset><legend>Choose an account</legend>
${accounts.map(renderChoice).join('\n')}
</fieldset>
<button type="submit" name="decision" value="allow">Connect</button>
<button type="submit" name="decision" value="deny">Cancel</button>
</form>
</body>
</html>
`

export const renderErrorPage = (vendor: string, message: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(vendor)}: error</title></head>
<body><h1>${escapeHtml(vendor)}</h1><p>${escapeHtml(message)}</p></body>
</html>
`
