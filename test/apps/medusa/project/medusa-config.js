// The shop of the tests: everything by default, without the dashboard. CommonJS, which Medusa's loader expects.
const { defineConfig } = require('@medusajs/framework/utils')

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { jwtSecret: 'jwt', cookieSecret: 'cookie', storeCors: '', adminCors: '', authCors: '' },
  },
})
