import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainWords } from '../../../src/core/command/assess-command.ts'
import { parseCommand } from '../../../src/core/command/parse-command.ts'
import { roundsOf } from '../../harness/long-run.ts'

const wordsOf = (text: string): readonly (readonly string[])[] => {
  const parsed = parseCommand(text)
  if (!parsed.ok) throw new Error(parsed.why)
  return parsed.commands.map(({ words }) => words)
}

const isPlain = (text: string): boolean => {
  const parsed = parseCommand(text)
  return parsed.ok && parsed.isPlain
}

describe('a command line', () => {
  it.each([
    ['git log', ['git', 'log']],
    ['  git\t log  ', ['git', 'log']],
    [`echo 'a  b' "c d" e\\ f`, ['echo', 'a  b', 'c d', 'e f']],
    [`echo a'b'"c"d`, ['echo', 'abcd']],
    [`echo '' ""`, ['echo', '', '']],
    [`echo "a\\"b" "a\\\\b" "a\\b" 'a\\b'`, ['echo', 'a"b', 'a\\b', 'a\\b', 'a\\b']],
    ['echo a\\\nb \\\n c', ['echo', 'ab', 'c']],
    ['echo "a\\\nb"', ['echo', 'ab']],
    ['echo "a\nb"', ['echo', 'a\nb']],
    ['echo a#b # comment', ['echo', 'a#b']],
    [`'r'm x`, ['rm', 'x']],
    ['\\rm x', ['rm', 'x']],
    [`echo '*' "?" \\[ '~' "{a,b}" {}`, ['echo', '*', '?', '[', '~', '{a,b}', '{}']],
    ['ls;', ['ls']],
    ['ls\n', ['ls']],
    ['git log -- ü', ['git', 'log', '--', 'ü']],
  ])('%j is one program with its words', (text, words) => {
    expect(wordsOf(text)).toEqual([words])
    expect(isPlain(text)).toBe(true)
  })

  it.each([
    ['a && b', [['a'], ['b']]],
    ['a||b', [['a'], ['b']]],
    ['a; b c;', [['a'], ['b', 'c']]],
    ['a | b | c', [['a'], ['b'], ['c']]],
    ['a & b &', [['a'], ['b']]],
    ['a &', [['a']]],
    ['a\nb', [['a'], ['b']]],
    ['a &&\n b', [['a'], ['b']]],
    ['a # x\nb', [['a'], ['b']]],
    ['X=1 Y+=2 a', [['a']]],
    ['a > f', [['a']]],
    ['a 2>&1', [['a']]],
    ['a 2 >f', [['a', '2']]],
    ['ls *', [['ls', '*']]],
    ['ls ~/x', [['ls', '~/x']]],
    ['ls a{b,c}', [['ls', 'a{b,c}']]],
    ['ls [ab]', [['ls', '[ab]']]],
    ['X=1', [[]]],
  ])('%j is more than one plain program', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
    expect(isPlain(text)).toBe(false)
  })

  it('keeps redirections and variables', () => {
    const parsed = parseCommand('A=1 a <in 2>>err >|out >&3')
    expect(parsed).toMatchObject({
      ok: true,
      commands: [
        {
          assignments: ['A=1'],
          redirects: [
            { operator: '<', target: 'in' },
            { operator: '>>', target: 'err' },
            { operator: '>|', target: 'out' },
            { operator: '>&', target: '3' },
          ],
        },
      ],
    })
  })

  it.each([
    ['echo $HOME', 'it contains $'],
    ['echo "x $y"', 'it contains $'],
    ['echo `ls`', 'it contains `'],
    ['echo "`ls`"', 'it contains `'],
    ["echo $'a'", 'it contains $'],
    ['(ls)', 'it uses ('],
    ['f() { ls; }', 'it uses ('],
    ['a <<E\nx\nE', 'it uses <<'],
    ['a <(b)', 'it uses <('],
    ['a &> f', 'it uses &>'],
    ['a |& b', 'it uses |&'],
    ['a ;; b', 'it uses ;;'],
    ['{ ls; }', '{ makes it more'],
    ['! ls', '! makes it more'],
    ['if a; then b; fi', 'if makes it more'],
    ['a; done', 'done makes it more'],
    ['r* x', 'which program it starts'],
    ['{rm,x}', 'which program it starts'],
    ['~/bin/x', 'which program it starts'],
    ["echo 'a", 'a quote is never closed'],
    ['echo "a', 'a quote is never closed'],
    ['echo "a\\', 'a quote is never closed'],
    ['echo a\\', 'it ends with a backslash'],
    ['a &&', 'it ends in the middle'],
    ['a |\n', 'it ends in the middle'],
    ['&& a', 'there is nothing before &&'],
    ['a ; ; b', 'there is nothing before ;'],
    ['a >', 'there is nothing after >'],
    ['a > ; b', 'there is nothing after >'],
    ['', 'it is empty'],
    [' \n# only a comment', 'it is empty'],
    ['ls\0', 'invisible characters'],
    ['ls\rx', 'invisible characters'],
    ['ls\u00A0x', 'invisible characters'],
    ['ls \u202Ex', 'invisible characters'],
    ['ls \u{E0041}', 'invisible characters'],
  ])('%j is not understood: %s', (text, why) => {
    const parsed = parseCommand(text)
    expect(parsed.ok ? 'understood' : parsed.why).toContain(why)
  })

  it('is read in linear time, however long', () => {
    for (const piece of ['a ', "'", '\\\n', 'a;', '"x" ', '> f ', '# ', '{', 'a=b ']) {
      expect(parseCommand(piece.repeat(100_000)).ok).toBeTypeOf('boolean')
    }
  })

  it('comes out as it went in, however its words were quoted', () => {
    const character = fc.constantFrom(...'ab$`"\'\\ *?[]{}~#;&|<>()!=\n\tü')
    const word = fc.string({ unit: character, minLength: 1 })
    const quote = fc.constantFrom(
      (text: string) => `'${text.replaceAll("'", `'\\''`)}'`,
      (text: string) => text.replaceAll(/[^\n]/gu, String.raw`\$&`).replaceAll('\n', "'\n'"),
    )
    const law = fc.property(fc.array(fc.tuple(word, quote), { minLength: 1 }), (words) => {
      const text = words.map(([given, quoted]) => quoted(given)).join(' ')
      expect(plainWords({ kind: 'line', text })).toEqual(words.map(([given]) => given))
    })
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })

  it('is read as real shells read it', () => {
    const piece = fc.constantFrom(
      ...'ab12-=+,.:/@%^#"\'\\ ',
      '\n',
      '\\\n',
      "''",
      '""',
      '&',
      ';',
      '|',
      '>',
      '$',
      '*',
      '{',
      '!',
    )
    const lines = fc
      .sample(fc.string({ unit: piece, minLength: 1, maxLength: 12 }), { numRuns: 4000, seed: 7 })
      // Behind `set --` a line that begins with a line end or a comment would set nothing.
      .filter((text) => !/^(?: |\\\n)*[#\n]/.test(text))
      .map((text) => ({ text, words: plainWords({ kind: 'line', text }) }))
      .flatMap(({ text, words }) => (words === null ? [] : [{ text, words }]))
    expect(lines.length).toBeGreaterThan(500)
    for (const shell of ['sh', 'bash']) {
      const script = lines
        .map(({ text }) => `set -- ${text}\nprintf '%s\\001' "$@"; printf '\\002'\n`)
        .join('')
      const { stdout, status, error } = spawnSync(shell, { input: script, encoding: 'utf8', env: {} })
      if (shell === 'bash' && error !== undefined) continue
      expect(status).toBe(0)
      const read = stdout.split('\u0002').slice(0, -1)
      expect(read).toHaveLength(lines.length)
      for (const [index, { text, words }] of lines.entries()) {
        const seen = (read[index] ?? '').split('\u0001').slice(0, -1)
        expect([text, seen]).toEqual([text, words])
      }
    }
  })
})
