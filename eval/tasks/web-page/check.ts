import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Tides {
  readonly addressOf: (harbour: string, day: string) => string
  readonly headersFor: (key: string) => Readonly<Record<string, string>>
  readonly readTides: (answer: unknown) => unknown
}

const [, , root = ''] = process.argv
const { addressOf, headersFor, readTides } = (await import(join(root, 'tides.js'))) as Tides
assert.equal(addressOf('St Malo', '2026-05-01'), 'https://tides.example/v3/harbours/st-malo/tides/20260501')
assert.equal(addressOf('Århus', '2026-12-24'), 'https://tides.example/v3/harbours/%C3%A5rhus/tides/20261224')
const headers = Object.entries(headersFor('k9')).map(([name, value]) => [name.toLowerCase(), value])
assert.deepEqual(Object.fromEntries(headers), { accept: 'application/json', authorization: 'Tide-Key k9' })
const extremes = [
  { time: 1_777_608_600, type: 'HW', heightCm: 540 },
  { time: 1_777_631_400, type: 'LW', heightCm: 95 },
]
assert.deepEqual(readTides({ extremes }), [
  { at: new Date(1_777_608_600_000), isHigh: true, metres: 5.4 },
  { at: new Date(1_777_631_400_000), isHigh: false, metres: 0.95 },
])
assert.ok(existsSync(join(root, 'tides.test.js')), 'the tests are gone')
assert.match(readFileSync(join(root, 'tides.test.js'), 'utf8'), /v3.*extremes/s)
assert.equal(spawnSync(process.execPath, ['--test'], { cwd: root }).status, 0, 'the tests fail')
