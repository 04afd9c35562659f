import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const MOVED = ['basename', 'isWindows', 'removePrefix', 'toPosixSlashes']
const [, , root = ''] = process.argv
const require = createRequire(join(root, 'x.js'))
const load = <T = Readonly<Record<string, unknown>>>(name: string) => require(name) as T
const paths = load('./lib/paths.js')
const utils = load('./lib/utils.js')
assert.deepEqual(Object.keys(paths).toSorted(), MOVED)
assert.deepEqual(
  MOVED.filter((name) => name in utils),
  [],
)
for (const name of [
  'isObject',
  'hasRegexChars',
  'isRegexChar',
  'escapeRegex',
  'removeBackslashes',
  'escapeLast',
  'wrapOutput',
])
  assert.equal(typeof utils[name], 'function', name)
for (const file of ['index.js', 'lib/parse.js', 'lib/picomatch.js', 'lib/scan.js']) {
  const left = MOVED.filter((name) => readFileSync(join(root, file), 'utf8').includes(`utils.${name}`))
  assert.deepEqual(left, [], file)
}
assert.doesNotMatch(readFileSync(join(root, 'lib/utils.js'), 'utf8'), /REGEX_BACKSLASH\b|navigator/)
type Match = (glob: string, options?: object) => (text: string) => boolean
const match = load<
  Match & {
    readonly makeRe: (glob: string) => RegExp
    readonly matchBase: (text: string, glob: RegExp) => boolean
  }
>('./index.js')
assert.equal(match('./src/**/*.js')('src/a/b.js'), true)
assert.equal(match('*.js', { matchBase: true })('a/b.js'), true)
assert.equal(match('a/*.js', { windows: true })('a\\b.js'), true)
assert.equal(match('*.js', {})('b.ts'), false)
assert.equal(String(match.makeRe('./a')), '/^(?:^(?:a)$)$/')
const status = spawnSync('git', ['status', '--short', '--untracked-files=all'], {
  cwd: root,
  encoding: 'utf8',
}).stdout
const files = status
  .trimEnd()
  .split('\n')
  .map((line) => line.slice(3))
  .toSorted()
assert.deepEqual(
  files.filter((file) => !/^(?:index\.js|posix\.js|lib\/\w+\.js)$/.test(file)),
  [],
)
