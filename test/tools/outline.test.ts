import { describe, expect, it } from 'vitest'
import { outlineLines } from '../../src/tools/outlining/outline-lines.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'

/** A source of each language, and what its outline reads. */
const SOURCES: readonly (readonly [path: string, source: string, text: string])[] = [
  [
    'a.ts',
    'import { x } from "x"\nexport const limit = 3, other = () => {\n  const inner = 1\n}\nexport class Box<T> {\n  open(): void {\n    function hidden() {}\n  }\n}\nexport interface Shape { size: number }\ntype Name = string\nexport default function main() {}\n',
    '2: const limit\n2-4: const other\n5-9: class Box\n  6-8: method open\n10: interface Shape\n11: type Name\n12: function main',
  ],
  ['a.tsx', 'export function View() {\n  return <p>{[1].map((x) => x)}</p>\n}\n', '1-3: function View'],
  ['a.mjs', 'describe("x", () => {\n  const y = 1\n})\nclass A { b() {} }\n', '4: class A\n  4: method b'],
  [
    'umd.js',
    '(function (global, factory) {\n  global.x = factory()\n}(this, (function () {\n  var y = 1\n  function f() {\n    function g() {}\n  }\n  class A { b() {} }\n  return f\n})))\n',
    '5-7: function f\n8: class A\n  8: method b',
  ],
  [
    'old.js',
    'function A() {}\nA.prototype.go = function (x) {\n  x.y = function () {}\n}\nA.prototype.open = A.prototype.start = () => 1\nexports.f = async function () {\n}\nexports.limit = 3\nA.of = class {\n  m() {}\n}\nmodule.exports = {\n  A,\n  b: 3,\n  "c-d": function () {},\n  e() {\n  },\n}\nB.prototype = { f: function () {} }\nother.x = { y: function () {} }\ng = function () {}\n',
    '1: function A\n2-4: function A.prototype.go\n5: function A.prototype.open = A.prototype.start\n6-7: function exports.f\n9-11: class A.of\n  10: method m\n12-18: object module.exports\n  15: function c-d\n  16-17: method e\n19: object B.prototype\n  19: function f\n20: function y',
  ],
  [
    'wrapped.js',
    '(function (root) {\n  var Q = 1\n  Q.prototype.go = function () {\n    this.x = function () {}\n  }\n  root.Q = Q\n})(this)\n',
    '3-5: function Q.prototype.go',
  ],
  [
    'a.py',
    'class A:\n    def f(self):\n        def g(): pass\n\ndef h():\n    pass\n',
    '1-3: class A\n  2-3: function f\n5-6: function h',
  ],
  [
    'a.go',
    'package a\ntype T struct{ x int }\nfunc (t T) M() {}\nfunc F() {\n\tg := func() {}\n\tg()\n}\n',
    '2: type T\n3: method M\n4-7: function F',
  ],
  [
    'a.rs',
    'struct S;\nimpl Clone for S {\n    fn clone(&self) -> S { S }\n}\nmod m { pub fn f() {} }\n',
    '1: struct S\n2-4: impl Clone for S\n  3: function clone\n5: mod m\n  5: function f',
  ],
  [
    'A.java',
    'class A {\n  A() {}\n  int f() { return 1; }\n  interface B { void g(); }\n}\n',
    '1-5: class A\n  2: constructor A\n  3: method f\n  4: interface B\n    4: method g',
  ],
  [
    'a.rb',
    'module M\n  class A\n    def f\n    end\n  end\nend\n',
    '1-6: module M\n  2-5: class A\n    3-4: method f',
  ],
  [
    'a.php',
    '<?php\nclass A { function f() {} }\nfunction g() {}\n',
    '2: class A\n  2: method f\n3: function g',
  ],
  [
    'a.cs',
    'namespace N { class A { int P { get; } void F() {} } }\n',
    '1: namespace N\n  1: class A\n    1: property P\n    1: method F',
  ],
  ['a.sh', 'f() {\n  echo hi\n}\n', '1-3: function f'],
  ['a.c', 'struct s { int x; };\nint *f(int a) {\n  return 0;\n}\n', '1: struct s\n2-4: function f'],
  [
    'a.el',
    ';; x\n(defvar a-list nil)\n\n(defun a-go (x)\n  x)\n(cl-defmethod a-m ((y z))\n  y)\n',
    '2-3: defvar a-list\n4-5: defun a-go\n6-7: defmethod a-m',
  ],
  [
    'a.md',
    '# Title\n\n## One\n\n```sh\n# not a heading\n```\n\n## Two\n',
    '1-9: heading Title\n  3-8: heading One\n  9: heading Two',
  ],
]

describe('outline', () => {
  it.each(SOURCES)('lists the symbols of %s with their lines', async (path, source, text) => {
    const result = await bench({ [path]: source }).call('outline', { path })
    expect(result.content).toBe(`${path}\n${text}`)
  })

  it('lists those of all files in a folder, without ignored and hidden ones', async () => {
    const b = bench({
      '.gitignore': 'out\n',
      '.hidden/h.ts': 'function h() {}\n',
      'out/o.ts': 'function o() {}\n',
      'src/b.ts': 'function b() {}\n',
      'src/a.ts': 'function a() {}\n',
      'src/empty.ts': '',
      'src/notes.txt': 'function n() {}\n',
      'k.pem': 'secret',
    })
    const result = await b.call('outline', { path: '.' })
    expect(result.content).toBe('src/a.ts\n1: function a\n\nsrc/b.ts\n1: function b')
    expect(outputOf(result)).toEqual({
      files: [
        { path: 'src/a.ts', symbols: [{ name: 'a', kind: 'function', line: 1, end_line: 1, depth: 0 }] },
        { path: 'src/b.ts', symbols: [{ name: 'b', kind: 'function', line: 1, end_line: 1, depth: 0 }] },
      ],
      truncated: false,
    })
  })

  it('includes the languages without a grammar', async () => {
    const b = bench({ 'a.el': '(defun a-go ())\n', 'b.md': '# Title\n', 'c.ts': 'type C = 1\n' })
    const { content } = await b.call('outline', { path: '.' })
    expect(content).toBe('a.el\n1: defun a-go\n\nb.md\n1: heading Title\n\nc.ts\n1: type C')
  })

  it('says why a file was not outlined', async () => {
    const b = bench({
      'big.ts': `function big() {}\n${'\n'.repeat(524_288)}`,
      'latin.ts': Buffer.from('const \xf6 = 1\n', 'latin1'),
      'plain.xyz': 'x',
    })
    const large = 'it is larger than 524288 bytes'
    const { content } = await b.call('outline', { path: '.' })
    expect(content).toBe(
      `No symbols found.\n[big.ts was not outlined: ${large}]\n[latin.ts was not outlined: it is not UTF-8 text]`,
    )
    for (const [path, why] of [
      ['big.ts', large],
      ['latin.ts', 'it is not UTF-8 text'],
      ['plain.xyz', 'no grammar fits it'],
    ]) {
      const { message } = errorOf(await b.call('outline', { path }))
      expect(message).toBe(`${path} cannot be outlined: ${why}.`)
    }
  })

  it('takes no longer than its text is long, whatever the headings are', () => {
    const blanks = `#${' '.repeat(300_000)}\n`
    expect(outlineLines('a.md', `${blanks}# Title\n`)).toHaveLength(1)
    const nested = `# a\n${'## b\n'.repeat(120_000)}`
    const symbols = outlineLines('a.md', nested)
    expect(symbols).toHaveLength(120_001)
    expect(symbols[0]).toMatchObject({ line: 1, end_line: 120_001 })
    expect(symbols[1]).toMatchObject({ line: 2, end_line: 2 })
  })

  it('does not count as reading', async () => {
    const b = bench({ 'a.ts': 'function a() {}\n' })
    const runtime = await b.open({ config: { 'tools.approval.mode': 'auto' } })
    const [, edit] = await runtime.run([
      { id: '1', name: 'outline', args: { path: 'a.ts' } },
      { id: '2', name: 'edit_region', args: { path: 'a.ts', start_line: 1, end_line: 1, new_content: '' } },
    ])
    expect(errorOf(edit).code).toBe('stale_file')
  })

  it.each([
    ['a.xyz', 'execution_failed', /cannot be outlined/],
    ['absent.ts', 'execution_failed', /absent\.ts/],
    ['k.pem', 'denied_pattern', /k\.pem/],
  ])('%s is refused: %s', async (path, code, message) => {
    const error = errorOf(await bench({ 'a.xyz': 'x', 'k.pem': 's' }).call('outline', { path }))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  it('fits as much as it can, and says how to see the rest of a file', async () => {
    const source = Array.from({ length: 200 }, (_, at) => `function f${at}() {}\n`).join('')
    const config = { 'tools.output.max_bytes': 2_000 }
    const path = 'a-folder/with-a-long-name/so-that-its-path-takes-much-of-each-row/a.ts'
    const result = await bench({ [path]: source }).call('outline', { path }, { config })
    const { files, truncated } = outputOf(result)
    expect(truncated).toBe(true)
    const [{ symbols }] = files as [{ symbols: readonly object[] }]
    const row = JSON.stringify(symbols.at(-1)).length + 1
    expect(JSON.stringify(outputOf(result)).length).toBeGreaterThan(2_000 - row - 5)
    expect(result.content).toMatch(/\n1: function f0\n/)
    const next = symbols.length + 1
    expect(result.content).toContain(`[There are more: read_file shows ${path} from line ${next} on`)
  })

  it('says how to see the rest of a folder', async () => {
    const source = Array.from({ length: 20 }, (_, at) => `function f${at}() {}\n`).join('')
    const config = { 'tools.output.max_bytes': 1_000 }
    const result = await bench({ 'a.ts': source, 'b.ts': source }).call('outline', { path: '.' }, { config })
    expect(result.content).toMatch(/\[There are more: outline a smaller folder or a single file\.\]$/)
  })
})
