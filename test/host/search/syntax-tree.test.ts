import { describe, expect, it } from 'vitest'
import { createTreeParser } from '../../../src/host/search/syntax-tree.ts'

describe('a parser', () => {
  it.for([
    ['typescript', 'const a: number = f<string>(1)\n', 'function f() {\n  return 1\n'],
    ['tsx', 'const a = <b c="d">e</b>\n', 'const a = <b>\n'],
    ['javascript', 'for (const a of b) c(a)\n', 'for (const a of b c(a)\n'],
    ['python', 'def f(a):\n    return [a]\n', 'def f(a:\n    return [a\n'],
    ['go', 'package a\n\nfunc f() int { return 1 }\n', 'package a\n\nfunc f( int { return 1 }\n'],
    ['rust', 'fn f() -> u8 { 1 }\n', 'fn f( -> u8 { 1 }\n'],
    ['java', 'class A { int f() { return 1; } }\n', 'class A { int f() { return 1; }\n'],
    ['ruby', 'def f(a)\n  a + 1\nend\n', 'def f(a\n  a + 1\nend\n'],
    ['css', 'a { color: red; }\n', 'a { color: red;\n'],
    ['bash', 'if a; then b; fi\n', 'if a; then b\n'],
    ['c-sharp', 'class A { int F() { return 1; } }\n', 'class A { int F() { return 1; }\n'],
    ['php', '<?php\nfunction f($a) { return $a; }\n', '<?php\nfunction f($a { return $a; }\n'],
  ] as const)(
    '%s: finds nothing in a sound text, and something in a broken one',
    async ([grammar, sound, broken]) => {
      const parse = createTreeParser()
      expect(await parse(grammar, sound)).toEqual([])
      expect(await parse(grammar, broken)).not.toEqual([])
      expect(await parse(grammar, broken)).not.toBeNull()
    },
  )

  it('names what is missing, at an offset in UTF-16 units', async () => {
    const text = 'const 𝑎 = "😀"\nfunction f() {\n  return 1\n'
    expect(await createTreeParser()('typescript', text)).toEqual([{ offset: text.length - 1, missing: '}' }])
  })

  it('gives up on a grammar it does not have and on a text that takes too long, and then goes on', async () => {
    const parse = createTreeParser()
    expect(await parse('nothing', 'a')).toBeNull()
    expect(await parse('../typescript', 'a')).toBeNull()
    expect(await parse('typescript', '}}} ((( '.repeat(100_000))).toBeNull()
    expect(await parse('typescript', 'const a = 1\n')).toEqual([])
  })
})
