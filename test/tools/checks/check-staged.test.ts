import { describe, expect, it } from 'vitest'
import { checkContent, languageOf } from '../../../src/tools/checks/check-content.ts'
import { KEYS } from '../../../src/config/keys.ts'
import type { ContentChange } from '../../../src/tools/checks/check-content.ts'
import { checkStaged } from '../../../src/tools/checks/check-staged.ts'

type Rules = ContentChange['settings']['tools.edit.syntax_check']

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const ruled = (rules: Rules) => ({
  'tools.edit.syntax_check': { ...KEYS['tools.edit.syntax_check'].agent, ...rules },
})
const none = {
  ...ruled({}),
  'tools.edit.syntax_check_max_bytes': KEYS['tools.edit.syntax_check_max_bytes'].agent,
}

async function findAtSigns(grammar: string, text: string) {
  const offset = grammar === 'typescript' ? text.indexOf('@@') : -1
  return offset === -1 ? [] : [{ offset, expected: 'typescript', found: '"@"', suggestion: 'Remove it.' }]
}

async function judge(path: string, before: string | null, after: string | null, rules: Rules = {}) {
  const { verdict } = await checkContent({ path, before, after, settings: ruled(rules) })
  return verdict
}

describe('one file', () => {
  it.for([
    ['a.el', '(a)', '(a'],
    ['a.json', '{}', '{'],
    ['a.toml', 'a = 1', 'a ='],
  ] as const)(
    '%s: a new error is refused, an old one noted, a mended or removed file passes',
    async (row) => {
      const [path, sound, broken] = row
      expect(await judge(path, sound, broken)).toBe('refuse')
      expect(await judge(path, null, broken)).toBe('refuse')
      expect(await judge(path, broken, `${broken} `)).toBe('note')
      expect(await judge(path, broken, sound)).toBe('pass')
      expect(await judge(path, null, sound)).toBe('pass')
      expect(await judge(path, sound, null)).toBe('pass')
    },
  )

  it('a rule for the extension holds instead, whatever the case of the name', async () => {
    expect(await judge('a.EL', null, '(', { el: 'warn' })).toBe('warn')
    expect(await judge('a.el', null, '(', { el: 'off' })).toBe('pass')
    expect(await judge('a.el', null, '(', { json: 'off' })).toBe('refuse')
    expect(await judge('a.el', '(', '((', { el: 'warn' })).toBe('note')
  })

  it('a language that only a grammar knows is warned about unless the rule blocks', async () => {
    const change = { path: 'a.ts', before: 'x', after: 'x@@', parseTree: findAtSigns }
    expect(await checkContent({ ...change, settings: none })).toMatchObject({
      verdict: 'warn',
      problems: [{ line: 1, column: 2 }],
      message:
        'a.ts has a syntax error after this edit: line 1, column 2: expected typescript, found "@". Remove it.',
    })
    expect(await checkContent({ ...change, settings: ruled({ ts: 'refuse' }) })).toMatchObject({
      verdict: 'refuse',
    })
    expect(await checkContent({ ...change, before: '@@', settings: none })).toMatchObject({ verdict: 'note' })
    expect(await judge('a.ts', null, 'x@@')).toBe('pass')
  })
})

describe('languages', () => {
  it.for([
    ['a.el', 'elisp'],
    ['.dir-locals.el', 'elisp'],
    ['x/package.json', 'json'],
    ['Cargo.toml', 'toml'],
    ['a.TS', 'tree'],
  ] as const)('%s is %s', ([path, is]) => {
    expect(languageOf(path)?.is).toBe(is)
  })

  it.for([
    ['a.jsonc'],
    ['a.json5'],
    ['tsconfig.json'],
    ['x/tsconfig.build.json'],
    ['jsconfig.json'],
    ['.vscode/settings.json'],
    ['x/.vscode/launch.json'],
    ['.devcontainer/devcontainer.json'],
    ['.eslintrc.json'],
    ['a.txt'],
    ['json'],
    ['el'],
    ['a.constructor'],
    [''],
  ])('%j is not checked', ([path = '']) => {
    expect(languageOf(path)).toBeNull()
  })
})

describe('what a call stages', () => {
  it('a refusal names every file and every place, and says what to do', async () => {
    const { refusal, notes } = await checkStaged(
      [
        { path: 'ok.el', before: null, after: bytes('(a)') },
        { path: 'a.el', before: bytes('(a)\n'), after: bytes('(a))\n') },
        { path: 'b.json', before: null, after: bytes('{') },
        { path: 'old.toml', before: bytes('a ='), after: bytes('b =') },
      ],
      none,
    )
    expect(refusal).toMatchObject({
      code: 'bad_args',
      details: {
        path: 'a.el',
        problems: [{ line: 1, column: 4, found: '")"', suggestion: expect.stringContaining('Remove') }],
        others: [{ path: 'b.json', problems: [{ line: 1, column: 2 }] }],
      },
    })
    expect(refusal?.message).toContain('break the syntax of a.el: line 1, column 4: ')
    expect(refusal?.message).toContain('The same holds for b.json.')
    expect(refusal?.recovery).toContain('Send the edit again with these places corrected.')
    expect(notes).toEqual([expect.stringContaining('old.toml had a syntax error before, and has one still')])
  })

  it('large files and files in no UTF-8 pass, a mark at the beginning does not count', async () => {
    const large = bytes('('.repeat(1024 ** 2 + 1))
    const latin = Uint8Array.of(0x28, 0xe9)
    const marked = Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes('{"a": 1}'))
    const files = [
      { path: 'a.el', before: null, after: large },
      { path: 'b.el', before: null, after: latin },
      { path: 'c.el', before: latin, after: bytes('(') },
      { path: 'd.json', before: null, after: marked },
    ]
    expect(await checkStaged(files, none)).toEqual({ refusal: null, notes: [] })
    expect(
      (await checkStaged([{ path: 'a.el', before: null, after: large.slice(1) }], none)).refusal,
    ).not.toBeNull()
    const less = { ...none, 'tools.edit.syntax_check_max_bytes': 3 }
    const one = (text: string) => [{ path: 'a.el', before: null, after: bytes(text) }]
    expect((await checkStaged(one('(abc'), less)).refusal).toBeNull()
    expect((await checkStaged(one('(ab'), less)).refusal).not.toBeNull()
  })

  it('what only moves passes, what changes on the way does not', async () => {
    const gone = { path: 'a.el', before: bytes('(a'), after: null }
    const moved = { path: 'b.el', before: null, after: bytes('(a') }
    const other = { path: 'b.el', before: null, after: bytes('(b') }
    expect(await checkStaged([gone, moved], none)).toEqual({ refusal: null, notes: [] })
    expect((await checkStaged([gone, other], none)).refusal).not.toBeNull()
  })

  it('grammars are asked about so much text in a call and no more', async () => {
    let asked = 0
    const parseTree = async () => {
      asked += 1
      return []
    }
    const after = bytes('x'.repeat(128 * 1024))
    const files = Array.from({ length: 5 }, (_, index) => ({ path: `${index}.ts`, before: null, after }))
    await checkStaged(files, none, parseTree)
    expect(asked).toBe(2)
  })
})
