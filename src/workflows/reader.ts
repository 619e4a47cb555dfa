import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector, Json } from '../definition/connector.ts'
import { checkWorkflowDefinition } from './definition.ts'

/**
 * Creates a function that checks an integrator's workflow definition and returns it unchanged: defaults are
 * added when it is run. @throws INVALID_PARAMETER naming the invalid value, with a path below `path`
 */
export const createWorkflowReader =
  (catalogue: Catalogue, connectors: ReadonlyMap<string, Connector>) =>
  (definition: unknown, path: string): Json => {
    checkWorkflowDefinition(catalogue, connectors, definition, path)
    // The caller has parsed it from JSON.
    return definition as Json
  }
