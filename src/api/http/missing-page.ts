/** The page at the address of GraphiQL or the API reference if its package is not installed. */
import { installCommand, type OptionalPackage } from '../../package-json.ts'

/** @param alternative HTML: what to use instead */
export const missingPage = (title: string, name: OptionalPackage, alternative: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <p>This page needs a package that is not installed: <code>${installCommand(name)}</code></p>
    <p>${alternative}</p>
  </body>
</html>
`
