import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const NAMES = ['account-closed', 'order-received', 'order-shipped', 'parcel-delayed', 'return-received']
const words = { de: /\b(Paket|Sendung|Lieferung)\b/, en: /\b(parcel|delivery)\b/i }
for (const [language, word] of Object.entries(words)) {
  const texts = JSON.parse(read(`packages/mail/texts/${language}.json`)) as Readonly<Record<string, string>>
  assert.deepEqual(Object.keys(texts), NAMES, `the names in ${language}`)
  const text = texts['parcel-delayed'] ?? ''
  assert.match(text, word)
  assert.doesNotMatch(text, /\.$/, `a full stop in ${language}`)
  assert.ok(text.length <= 30, `too long in ${language}: ${text}`)
}
assert.match(
  read('packages/mail/CHANGES.md'),
  /^- `order-received` and `order-shipped`\.\n- `account-closed`\.\n- .*parcel-delayed.*\n$/,
)
assert.match(read('packages/mail/test/subject.test.js'), /an order that was shipped[^]*parcel-delayed/)
const changed = spawnSync('git', ['status', '--porcelain', '--untracked-files=all'], {
  cwd: root,
  encoding: 'utf8',
})
  .stdout.trimEnd()
  .split('\n')
assert.deepEqual(
  changed.filter((line) => !line.slice(3).startsWith('packages/mail/')),
  [],
  'changed elsewhere',
)
assert.equal(
  spawnSync(process.execPath, ['--test'], { cwd: join(root, 'packages/mail') }).status,
  0,
  'the tests fail',
)
