/** Validates the definition of an integration that the integrator sends. */
import { invalidParameter } from '../errors.ts'
import type { IntegrationDefinition } from '../store/workflows/integrations.ts'
import type { ApiContext } from './context.ts'
import { requireApp } from './credential-input.ts'

/** The integrator's own identifier of an integration or workflow. */
const SLUG = /^[a-z0-9-]{1,64}$/
const MAX_NAME = 255

/** The input of `defineIntegration`: field types are checked, lengths and patterns are not. */
export interface IntegrationInput {
  readonly slug: string
  readonly name: string
  readonly app: string
  readonly icon?: string | null | undefined
  readonly workflows: readonly {
    readonly slug: string | null
    readonly name: string | null
    readonly definition: unknown
  }[]
}

const readName = (path: string, name: string | null): string => {
  if (name === null || name.trim() === '' || name.length > MAX_NAME)
    throw invalidParameter(path, `1 to ${MAX_NAME} characters`)
  return name
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Reads an integration definition. @throws INVALID_PARAMETER naming the field: `workflows[1].slug` */
export const readIntegration = (
  context: Pick<ApiContext, 'connectors' | 'readWorkflow'>,
  { slug, name, app, icon, workflows }: IntegrationInput,
): IntegrationDefinition => {
  if (!SLUG.test(slug)) throw invalidParameter('slug', '1 to 64 characters of a-z, 0-9 and -')
  if (icon != null && !isWebAddress(icon))
    throw invalidParameter('icon', 'a URL that begins with https:// or http://')
  const seen = new Set<string>()
  return {
    slug,
    name: readName('name', name),
    app: requireApp(context, app).app,
    icon: icon ?? null,
    workflows: workflows.map((workflow, index) => {
      const path = `workflows[${index}]`
      const workflowSlug = workflow.slug ?? ''
      if (!SLUG.test(workflowSlug))
        throw invalidParameter(`${path}.slug`, '1 to 64 characters of a-z, 0-9 and -')
      if (seen.has(workflowSlug))
        throw invalidParameter(`${path}.slug`, 'a slug that no other workflow has')
      seen.add(workflowSlug)
      return {
        slug: workflowSlug,
        name: readName(`${path}.name`, workflow.name),
        definition: context.readWorkflow(workflow.definition, `${path}.definition`),
      }
    }),
  }
}
