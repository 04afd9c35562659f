import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const suite = join(import.meta.dirname, 'files/test.mjs')
assert.equal(
  readFileSync(join(root, 'test.mjs'), 'utf8'),
  readFileSync(suite, 'utf8'),
  'the tests were changed',
)
const tests = spawnSync(process.execPath, ['--test', 'test.mjs'], { cwd: root, encoding: 'utf8' })
assert.equal(tests.status, 0, 'the tests fail')
const { render } = createRequire(join(root, 'x.js'))('./mustache.js') as {
  readonly render: (template: string, view: object) => string
}
assert.equal(render('{{a}}', { a: `"'/=` }), '&quot;&#39;&#x2F;&#x3D;')
assert.equal(render('x\n{{#a}}\n1\n{{/a}}\n{{#b}}\n2\n{{/b}}\n', { a: 1, b: 1 }), 'x\n1\n2\n')
assert.equal(render('{{^a}}none{{/a}}', { a: [] }), 'none')
