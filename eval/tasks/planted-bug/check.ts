import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

interface Semver {
  readonly satisfies: (version: string, range: string) => boolean
  readonly Range: new (range: string) => { readonly range: string }
}

const [, , root = ''] = process.argv
const { satisfies, Range } = createRequire(`${root}/`)('./index.js') as Semver
const ranges = {
  '^0.2.3': '>=0.2.3 <0.3.0-0',
  '^0.2.3-beta.2': '>=0.2.3-beta.2 <0.3.0-0',
  '^0.0.3': '>=0.0.3 <0.0.4-0',
  '^0.2': '>=0.2.0 <0.3.0-0',
  '^1.2.3': '>=1.2.3 <2.0.0-0',
  '^0.x': '<1.0.0-0',
  '~0.2.3': '>=0.2.3 <0.3.0-0',
}
for (const [range, means] of Object.entries(ranges)) assert.equal(new Range(range).range, means, range)
assert.equal(satisfies('0.3.0', '^0.2.3'), false)
assert.equal(satisfies('0.2.9', '^0.2.3'), true)
