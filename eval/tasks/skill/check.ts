import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sections = read('CHANGELOG.md').split(/^## /m)
assert.deepEqual(
  sections.map((section) => section.trim()),
  [
    '# Changelog',
    '1.4.0\n\n**Added**\n\n* `splice` joins two ropes.\n* the bowline, a knot that does not slip.\n\n**Fixed**\n\n* the length of a rope counts its knots.',
    '1.3.2\n\n**Fixed**\n\n* A knot in an empty rope is an error.',
  ],
)
assert.equal((JSON.parse(read('package.json')) as { readonly version: string }).version, '1.4.0')
assert.match(read('src/version.js'), /version = '1\.4\.0'/)
assert.deepEqual(readdirSync(join(root, 'changes')), ['README.md'])
