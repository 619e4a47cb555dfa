import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector, Json } from '../definition/connector.ts'
import { checkWorkflowDefinition } from './definition.ts'

/**
 * Reads a workflow as the integrator defines it, and answers it as it was given: what was left out is
 * completed whenever it is run. @throws INVALID_PARAMETER naming what is wrong, below `place`
 */
export const createWorkflowReader =
  (catalogue: Catalogue, connectors: ReadonlyMap<string, Connector>) =>
  (definition: unknown, place: string): Json => {
    checkWorkflowDefinition(catalogue, connectors, definition, place)
    // It was read as JSON before it was checked.
    return definition as Json
  }
