import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const read = (top: string, file: string) => readFileSync(join(top, file), 'utf8')
const original = join(import.meta.dirname, 'files')
const before = JSON.parse(read(original, 'package.json')) as Readonly<Record<string, unknown>>
const text = read(root, 'package.json')
assert.deepEqual(JSON.parse(text), {
  ...before,
  version: '2.0.0',
  engines: { node: '>=20' },
  scripts: { test: 'ava && tsd' },
})
assert.match(text, /^\t"version"/m, 'the indentation changed')
assert.equal(read(root, '.nvmrc').trim(), '24')
const ci = read(root, '.github/workflows/main.yml')
assert.match(ci, /node-version:\n(\s+)- 24\n\1- 22\n\1- 20\n {4}steps:/)
assert.match(ci, /actions\/checkout@v4/)
assert.match(ci, /actions\/setup-node@v4/)
assert.doesNotMatch(ci, /@v2|- 1[246]\b/)
const [, install = ''] = /npm install yocto-queue\n```\n(.*?)## Usage/s.exec(read(root, 'readme.md')) ?? []
assert.match(install, /Node(?:\.js)? (?:version )?20|Node(?:\.js)? >= ?20/)
assert.equal(read(root, 'index.js'), read(original, 'index.js'))
