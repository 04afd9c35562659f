import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const minimist = createRequire(join(root, 'x.js'))('./index.js') as (
  args: readonly string[],
  options?: object,
) => Readonly<Record<string, unknown>>
const args = ['--port', '80', '-n5', '--size=1e3', '7', 'x']
assert.deepEqual(minimist(args), { _: [7, 'x'], port: 80, n: 5, size: 1000 })
assert.deepEqual(minimist(args, { numbers: true }), { _: [7, 'x'], port: 80, n: 5, size: 1000 })
assert.deepEqual(minimist(args, { numbers: false }), { _: ['7', 'x'], port: '80', n: '5', size: '1e3' })
assert.equal(existsSync(join(root, 'numbers.patch')), false)
assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /^\* `opts\.numbers` - /m)
const code = readFileSync(join(root, 'index.js'), 'utf8')
assert.doesNotMatch(code, /^ {4}/m, 'the style of the patch was kept')
