/** The one function in use of a package without types. */
declare module 'pg-copy-streams' {
  import type { Writable } from 'node:stream'
  import type { Submittable } from 'pg'

  /** A stream into `COPY … FROM STDIN`; it finishes when PostgreSQL has accepted all of it. */
  export function from(sql: string): Writable & Submittable
}
