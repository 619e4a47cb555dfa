/** Each file in test/fidelity names the test that checks it, and that test runs against the kind of app it claims. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { type FidelityReport, fidelityVerbs } from '../support/fidelity.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'test/fidelity')

test.each(readdirSync(FOLDER))('%s is checked by its test', (name) => {
  const report: FidelityReport = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
  const { app, level, test: path, verbs } = report
  expect(`${basename(path).replace(/\.(test|check)\.ts$/, '')}.json`).toBe(name)
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain(`addFidelityTest('${app}', '${level}', `)
  const folder = level === 'live' ? 'apps' : 'simulators'
  expect(existsSync(join(ROOT, 'test', folder, app, 'start.ts'))).toBe(true)
  expect(Object.keys(connectors.get(app)?.resources ?? {})).toEqual(
    expect.arrayContaining(Object.keys(verbs)),
  )
  for (const names of Object.values(verbs))
    expect(fidelityVerbs).toEqual(expect.arrayContaining(names.split(' ')))
})
