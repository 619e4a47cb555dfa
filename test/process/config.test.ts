/** The configuration by environment variables: defaults, valid and invalid values. */
import { expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'

test('an empty variable counts as unset', () => {
  const names = ['PORT', 'HOST', 'DATABASE_URL', 'SANDBOX', 'RATE_LIMIT_PER_MINUTE', 'TRUST_PROXY']
  const empty = Object.fromEntries([...names, 'NODE_ENV'].map((name) => [name, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test.each([
  ['PORT', '0x10', 'expected a whole number from 0 to 65535'],
  ['PORT', '4e3', 'expected a whole number from 0 to 65535'],
  ['PORT', '65536', 'expected a whole number from 0 to 65535'],
  ['RATE_LIMIT_PER_MINUTE', '-1', 'expected a whole number from 0 to 100000000'],
  ['RECONCILIATION_INTERVAL_DAYS', '-1', 'expected a whole number from 0 to 3650'],
  ['CHANGE_RETENTION_DAYS', '1.5', 'expected a whole number from 1 to 3650'],
  ['PUBLIC_URL', 'http://api.example.com', 'expected https://api.example.com'],
  ['PUBLIC_URL', 'https://api.example.com/?a=1', 'expected https://api.example.com'],
  ['PUBLIC_URL', 'api.example.com', 'expected https://api.example.com'],
  ['NODE_ENV', 'prod', '"development"|"production"|"test"'],
  ['SANDBOX', 'yes', '"true"|"false"'],
  ['TRUSTED_DOCUMENTS_ONLY', 'true', 'expected a file in TRUSTED_DOCUMENTS'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'expected http://host:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'expected http/protobuf'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', '"parentbased_traceidratio"'],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'expected a number from 0 to 1'],
])('%s=%s is rejected by name', (name, value, expected) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: `)
  expect(() => readConfig({ [name]: value })).toThrow(expected)
})

test('the public URL has no slash at its end, and may be http on this machine', () => {
  for (const url of ['https://api.example.com', 'https://example.com/api', 'http://localhost:4000'])
    expect(readConfig({ PUBLIC_URL: `${url}/` }).publicUrl).toBe(url)
  expect(readConfig({}).publicUrl).toBeUndefined()
})

test('traces need a collector, and can be switched off', () => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  const ofTraces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }
  const tracing = { sampler: 'parentbased_always_on', ratio: 1, delayMs: 5000 }
  expect(readConfig(collector).tracing).toEqual(tracing)
  expect(readConfig(ofTraces).tracing).toEqual(tracing)
  const sampled = {
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  expect(readConfig({ ...collector, ...sampled }).tracing).toEqual({
    sampler: 'traceidratio',
    ratio: 0.25,
    delayMs: 100,
  })
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])
    expect(readConfig({ ...collector, ...off }).tracing).toBeUndefined()
  expect(readConfig(sampled).tracing).toBeUndefined()
})
