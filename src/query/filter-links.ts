/** The links from a resource to others that a filter can follow, in both directions. */
import { type Catalogue, linkName } from '../definition/catalogue.ts'
import type { Resource } from '../definition/resource.ts'
import { memoize } from '../memoize.ts'

/** A link from a resource to records of another. */
export interface FilterLink {
  /** The field of the filter input. */
  readonly name: string
  readonly to: Resource
  /** The reference field. */
  readonly field: string
  /** The record that holds the reference: the filtered one, or the linked one. */
  readonly holder: 'filtered' | 'linked'
  /** Any number of records are linked. */
  readonly isList: boolean
}

/** The links of every resource, by name. */
export const filterLinks = memoize(
  (catalogue: Catalogue): ReadonlyMap<Resource, ReadonlyMap<string, FilterLink>> =>
    new Map(
      catalogue.resources.map((resource) => {
        const own = Object.entries(resource.fields).flatMap(([field, { kind }]): FilterLink[] => {
          const to = kind.reference && catalogue.find(kind.reference.target)
          if (!to) return []
          const link = linkName(field, kind)
          // A reference that embeds has the name of its link, and a parameter with that name takes an id.
          const name = link === field ? `${link}Where` : link
          return [{ name, to, field, holder: 'filtered', isList: kind.isList === true }]
        })
        const incoming = catalogue
          .incoming(resource.topic)
          .map(({ from, field, as }): FilterLink => {
            return { name: as, to: from, field, holder: 'linked', isList: true }
          })
        return [resource, new Map([...own, ...incoming].map((link) => [link.name, link]))]
      }),
    ),
)
