/** Loads the service once, so that its first start finds every module without types. Run by `npm ci`. */
await import('../src/main.ts')
const { warmUp } = await import('../src/process/service.ts')
await warmUp('all')
// The command line runs what its arguments say.
process.argv.splice(2, Infinity, '--version')
await import('../src/cli.ts')
