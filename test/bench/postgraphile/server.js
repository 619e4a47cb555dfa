/**
 * PostGraphile 5 on the benchmark's table, set up as its production guide recommends: no GraphiQL, no watch
 * mode, no explain, prepared statements (its default), results joined as text where possible.
 * Env: DATABASE_URL, PORT. JavaScript, because its types are installed in this folder only.
 * @see https://postgraphile.org/postgraphile/5/production/
 */
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'

const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  // The plugin hides columns without an index from filters; the query filters by two of those.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  grafserv: { graphiql: false, watch: false, websockets: false, outputDataAsString: true },
  grafast: { explain: false },
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'] })],
})

const server = createServer()
server.on('error', (error) => {
  console.error(error)
  process.exit(1)
})
await instance.createServ(grafserv).addTo(server)
await instance.getSchema()
server.listen(Number(process.env.PORT), '127.0.0.1')
// Exits with the benchmark that started this process.
process.on('disconnect', () => process.exit())
