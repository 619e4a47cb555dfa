/** The definition of an integration as the integrator gives it, held against what is there. */
import { invalidParameter } from '../errors.ts'
import type { IntegrationDefinition } from '../store/integrations.ts'
import type { ApiContext } from './context.ts'
import { requireApp } from './credential-input.ts'

/** A name that the integrator gives. */
const SLUG = /^[a-z0-9-]{1,64}$/
const MAX_NAME = 255

/** By the fields of the operation: texts where texts are required, but their bounds. */
export interface GivenIntegration {
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

const readName = (place: string, name: string | null): string => {
  if (name === null || name.trim() === '' || name.length > MAX_NAME)
    throw invalidParameter(place, `1 to ${MAX_NAME} characters`)
  return name
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** @throws INVALID_PARAMETER naming the field: `workflows[1].slug` */
export const readIntegration = (
  context: Pick<ApiContext, 'connectors' | 'readWorkflow'>,
  { slug, name, app, icon, workflows }: GivenIntegration,
): IntegrationDefinition => {
  if (!SLUG.test(slug)) throw invalidParameter('slug', '1 to 64 of a-z, 0-9 and -')
  if (icon != null && !isWebAddress(icon))
    throw invalidParameter('icon', 'an address that begins with https:// or http://')
  const seen = new Set<string>()
  return {
    slug,
    name: readName('name', name),
    app: requireApp(context, app).app,
    icon: icon ?? null,
    workflows: workflows.map((workflow, index) => {
      const place = `workflows[${index}]`
      const own = workflow.slug ?? ''
      if (!SLUG.test(own)) throw invalidParameter(`${place}.slug`, '1 to 64 of a-z, 0-9 and -')
      if (seen.has(own)) throw invalidParameter(`${place}.slug`, 'a slug that no other has')
      seen.add(own)
      return {
        slug: own,
        name: readName(`${place}.name`, workflow.name),
        definition: context.readWorkflow(workflow.definition, `${place}.definition`),
      }
    }),
  }
}
