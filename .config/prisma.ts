import { defineConfig } from 'prisma/config'

// The CLI looks for its schema engine before any command and would download it; generating needs none.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({ schema: '../prisma', migrations: { path: '../prisma/migrations' } })
