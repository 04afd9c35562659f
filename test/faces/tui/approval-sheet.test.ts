import { visibleWidth } from '@earendil-works/pi-tui'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { unifiedDiff } from '../../../src/core/text/unified-diff.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { pressApproval } from '../../../src/faces/tui/sheets/approval-sheet.ts'
import { openApprovalSheet } from '../../../src/faces/tui/sheets/approval-state.ts'
import type { ApprovalSheet } from '../../../src/faces/tui/sheets/approval-state.ts'
import { toAscii } from '../../../src/faces/tui/draw/ascii.ts'
import { drawApproval } from '../../../src/faces/tui/sheets/draw-approval.ts'
import { requestOf } from '../../harness/sample-request.ts'

const REQUEST = requestOf({
  call: { id: 'c1', name: 'write_file', args: {} },
  summary: 'Write a.txt',
  why: 'the call may change files',
  scopes: [
    { scope: { kind: 'path', glob: 'a.txt' }, sentence: 'write_file may write a.txt.' },
    { scope: { kind: 'tool' }, sentence: 'write_file may write anything.' },
  ],
})
const CANVAS = { columns: 80, paint: createPaint(false), now: 0, isStill: true, isAscii: false }

const open = (...requests: Partial<ApprovalRequest>[]): ApprovalSheet =>
  openApprovalSheet(
    requests.map((request) => ({ ...REQUEST, ...request })),
    600,
  )

/** Presses keys one after the other, drawing the sheet before each as the screen does. */
function press(sheet: ApprovalSheet, keys: readonly string[], height = 30) {
  let now = sheet
  for (const key of keys) {
    now = drawApproval(now, CANVAS, height, true).sheet
    const pressed = pressApproval(now, key, key.length === 1 ? key : key === 'space' ? ' ' : '')
    if (pressed.is === 'answered') return pressed.answers
    now = pressed.sheet
  }
  return now
}

/** The keys of lines, each with its Enter, as several questions are answered; longer names are keys of their own. */
const entered = (...keys: readonly string[]): readonly string[] =>
  keys.flatMap((key) => (key.length === 1 ? [key, 'enter'] : [key]))

describe('the approval sheet', () => {
  it('FR-TUI-01: shows name, summary and risk, and takes yes and no', () => {
    const rows = drawApproval(open({ risk: 'High' }), CANVAS, 30, true).rows.join('\n')
    expect(rows).toMatch(/HIGH RISK/)
    expect(rows).toContain('write_file: Write a.txt')
    const about = drawApproval(open({ about: 'result', scopes: [] }), CANVAS, 30, true).rows.join('\n')
    expect(about).toMatch(/May the model be given this result\?/)
    expect(press(open({}), ['o'])).toEqual(['once'])
    expect(press(open({}), ['d', 'enter'])).toEqual(['deny'])
    expect(press(open({}), ['l'])).toBe('later')
  })

  it('shows on an ASCII screen what it cannot draw as what it is, not as another sign', () => {
    const sheet = open({
      summary: "Run: sh -c 'ls src\nrm -rf important'",
      diff: '--- a/中.txt\n+++ b/中.txt\n@@ -1 +1 @@\n-a\n+\té → b\n',
      note: '"文.txt" does not land.',
    })
    const ascii = { ...CANVAS, isAscii: true }
    const shown = drawApproval(sheet, ascii, 30, true).rows.map(toAscii).join('\n')
    expect(shown).toContain(String.raw`'ls src\nrm -rf important'`)
    expect(shown).toContain(String.raw`| \u{4e2d}.txt`)
    expect(shown).toContain(String.raw`+\t\u{e9} \u{2192} b`)
    expect(shown).toContain(String.raw`| "\u{6587}.txt"`)
    expect(shown).not.toContain('?.txt')
    const long = open({ diff: `${'+x\n'.repeat(200)}` })
    expect(drawApproval(long, ascii, 60, true).rows.join('\n')).toMatch(/\.\.\. \d+ lines left out/)
  })

  it('offers the file of an edit first, as nobody wants the same edit twice; for a command its very words', () => {
    const exactly = { scope: { kind: 'arguments', digest: 'd' }, sentence: 'exactly this.' } as const
    const folder = { scope: { kind: 'path', glob: 'src/**' }, sentence: 'all of src.' } as const
    const file = { scope: { kind: 'path', glob: 'src/a.ts' }, sentence: 'src/a.ts.' } as const
    expect(press(open({ scopes: [exactly, file, folder] }), ['g'])).toEqual([
      { answer: 'scope', scope: file.scope },
    ])
    expect(press(open({ scopes: [exactly, file, folder] }), ['w', 'g'])).toEqual([
      { answer: 'scope', scope: folder.scope },
    ])
    expect(press(open({ scopes: [exactly, folder] }), ['g'])).toEqual([
      { answer: 'scope', scope: exactly.scope },
    ])
  })

  it('a yes to all others leaves an explicit no as it is', () => {
    expect(press(open({}, {}, {}), entered('d', 'enter', 'a', 'o'))).toEqual(['deny', 'once', 'once'])
    const worded = press(open({}, {}), [...entered('d'), 'n', 'o', 'enter', ...entered('a', 'o')])
    expect(worded).toEqual([{ answer: 'deny', say: 'no' }, 'once'])
    expect(press(open({}, {}, {}), entered('o', 'a', 'o'))).toEqual(['once', 'once', 'once'])
  })

  it('says in the last minute that silence will be a no', () => {
    const sheet = openApprovalSheet([REQUEST], 600, 300_000)
    const at = (now: number): string => drawApproval(sheet, { ...CANVAS, now }, 30, true).rows.join('\n')
    expect(at(200_000)).not.toContain('counts as no')
    expect(at(255_500)).toContain('No answer counts as no in 45 s.')
    expect(at(400_000)).toContain('in 0 s.')
    expect(drawApproval(open({}), { ...CANVAS, now: 400_000 }, 30, true).rows.join('\n')).not.toContain(
      'counts',
    )
  })

  it('names the limits of a command once somebody wants to see all', () => {
    const sheet = open({ rung: 'sandboxed by bubblewrap', limits: 'not limited: processes' })
    const rowsOf = (columns: number) => drawApproval(sheet, { ...CANVAS, columns }, 30, true).rows
    expect(rowsOf(80)[0]).toMatch(/medium risk · sandboxed by bubblewrap$/)
    // Beside the question there is room for all of it or for nothing of it.
    expect(rowsOf(50)[0]).not.toContain('sandboxed')
    expect(rowsOf(50)[1]).toBe(' Sandbox: sandboxed by bubblewrap')
    expect(drawApproval({ ...sheet, isExplained: true }, CANVAS, 30, true).rows.join('\n')).toContain(
      'Sandbox: sandboxed by bubblewrap; not limited: processes',
    )
  })

  it('asks about a result that holds secrets in words of its own, and a no needs none', () => {
    const one = drawApproval(open({ about: 'result', scopes: [] }), CANVAS, 30, true).rows.join('\n')
    expect(one).toMatch(/o unchanged · d remove the secrets/)
    expect(one).not.toMatch(/o once|d deny|l later/)
    expect(press(open({ about: 'result' }), ['d'])).toEqual(['deny'])
    const two = press(open({ about: 'result' }, { about: 'result' }), entered('o'))
    if (typeof two === 'string' || !('requests' in two)) throw new Error('answered too soon')
    expect(drawApproval(two, CANVAS, 30, true).rows.join('\n')).toMatch(/1 write_file.* unchanged/)
  })

  it('a result that holds no secret after all is remembered as one key says', () => {
    const scope = { kind: 'values', digests: ['0a'] } as const
    const sheet = open({
      about: 'result',
      scopes: [{ scope, sentence: 'Not a secret, remember: this value.' }],
    })
    const rows = drawApproval(sheet, CANVAS, 30, true).rows.join('\n')
    expect(rows).toMatch(/o unchanged · g not a secret, remember · d remove the secrets/)
    expect(rows).toContain('Not a secret, remember: this value.')
    expect(press(sheet, ['g'])).toEqual([{ answer: 'scope', scope }])
  })

  it('a denial takes words, which can be mended', () => {
    const keys = ['d', 'n', 'o', 'x', 'backspace', 'space', 't', 'enter']
    expect(press(open({}), keys)).toEqual([{ answer: 'deny', say: 'no t' }])
    expect(press(open({}), ['d', 'x', 'escape', 'o'])).toEqual(['once'])
  })

  it('y is a yes, and n a no where there is one question; of several, n selects none', () => {
    expect(press(open({}), ['y'])).toEqual(['once'])
    expect(press(open({}), ['n', 'enter'])).toEqual(['deny'])
    expect(press(open({}, { id: 'q2' }), entered('a', 'n', 'y', 'd', 'enter'))).toEqual(['once', 'deny'])
  })

  it.each([
    'no',
    'not this one',
    'okay, but not the second',
    'go away',
    'try something else',
    'abort',
    'wait',
    'stop that',
    'yo',
    'always',
  ])('of several, takes the word %j for one answer or for none, and none of its letters', (typed) => {
    const questions = open({}, { id: 'q2' }, { id: 'q3' })
    const keys = [...typed].map((key) => (key === ' ' ? 'space' : key))
    for (let count = 1; count <= keys.length; count++) {
      const before = press(questions, keys.slice(0, count))
      expect(before).toMatchObject({ answers: new Map(), chosen: new Set(), line: typed.slice(0, count) })
    }
    const after = press(questions, [...keys, 'enter'])
    expect(after).toMatchObject({ answers: new Map(), chosen: new Set(), line: '' })
    expect(after).toMatchObject(
      typed === 'no' ? { words: '' } : { words: null, hint: 'That is not one of the choices.' },
    )
  })

  it('of several, takes a no with words, a list of hunks, and words for its keys', () => {
    const two = open({}, { id: 'q2' })
    const type = (text: string): readonly string[] => [
      ...[...text].map((key) => (key === ' ' ? 'space' : key)),
      'enter',
    ]
    const say = 'use the other file'
    expect(press(two, [...type(`no, ${say}`), ...type('yes')])).toEqual([{ answer: 'deny', say }, 'once'])
    expect(press(two, [...type('all'), ...type(`d ${say}`)])).toEqual(
      [1, 2].map(() => ({ answer: 'deny', say })),
    )
    expect(press(two, type('later'))).toBe('later')
    const results = open({ about: 'result' }, { about: 'result' })
    expect(press(results, [...type('all'), ...type('no thanks')])).toEqual(['deny', 'deny'])
    const mended = press(two, [
      'o',
      'k',
      'backspace',
      'backspace',
      'o',
      'escape',
      'x',
      'ctrl+u',
      'o',
      'enter',
    ])
    expect(mended).toMatchObject({ answers: new Map([[0, 'once']]), line: '' })
    const diff = '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n'
    const some = open({ diff, hunks: { lines: [2, 5] } }, {})
    expect(press(some, type('s 2'))).toMatchObject({
      answers: new Map([[0, { answer: 'once', hunks: [2] }]]),
    })
    expect(press(some, type('h 7'))).toMatchObject({ answers: new Map(), hunks: '7' })
    expect(press(open({}, {}), type('s 2'))).toMatchObject({ hunks: null, answers: new Map() })
  })

  it('of several, shows what is typed and what Enter does with it', () => {
    const typing = press(open({}, {}), ['n', 'o']) as ApprovalSheet
    const rows = drawApproval(typing, CANVAS, 30, true).rows.join('\n')
    expect(rows).toMatch(/^ > no.*\n Enter takes it, Esc clears it$/m)
    expect(drawApproval(open({}, {}), CANVAS, 30, true).rows.join('\n')).toContain('Enter after a letter')
  })

  it('FR-TUI-01: all, none and single calls can be selected', () => {
    const three = open({}, { id: 'q2' }, { id: 'q3' })
    expect(press(three, entered('a', 'o'))).toEqual(['once', 'once', 'once'])
    expect(press(three, entered('a', 'd', 'enter'))).toEqual(['deny', 'deny', 'deny'])
    expect(press(three, entered('space', 'down', 'down', 'space', 'o', 'd', 'enter'))).toEqual([
      'once',
      'deny',
      'once',
    ])
    expect(press(three, entered('a', 'n', 'o', 'o', 'd', 'enter'))).toEqual(['once', 'once', 'deny'])
    // What was selected by mistake can be let go again.
    const mended = entered('space', 'space', 'down', 'space', 'o', 'd', 'enter', 'd', 'enter')
    expect(press(three, mended)).toEqual(['deny', 'once', 'deny'])
  })

  it('FR-TUI-01: of more questions than can be listed the current one always is, and all means all of them', () => {
    const many = open(...Array.from({ length: 9 }, (_, at) => ({ id: `q${at}`, summary: `Write ${at}.txt` })))
    let sheet = many
    for (let at = 0; at < 9; at++) {
      const { rows } = drawApproval(sheet, CANVAS, 30, true)
      expect(rows.filter((row) => row.startsWith('> '))).toEqual([
        expect.stringContaining(`[ ] ${at + 1} write_file: Write ${at}.txt`),
      ])
      const pressed = pressApproval(sheet, 'down', '')
      if (pressed.is === 'answered') throw new Error('answered too early')
      sheet = pressed.sheet
    }
    expect(press(many, entered('a', 'o'))).toEqual(Array<string>(9).fill('once'))
    expect(press(many, entered('a', 'd', 'enter'))).toEqual(Array<string>(9).fill('deny'))
    expect(press(many, entered('a', 'space', 'o', 'd', 'enter'))).toEqual([
      'deny',
      ...Array<string>(8).fill('once'),
    ])
  })

  it.each([
    ['Low', 'low risk', 32],
    ['Medium', 'medium risk', 33],
    ['High', '!! HIGH RISK !!', 31],
  ] as const)(
    'FR-TUI-01: the risk %s has its words and its colour, alone and in a list',
    (risk, words, colour) => {
      const canvas = { ...CANVAS, paint: createPaint(true) }
      const marked = `\u001b[${colour}m${words}\u001b`
      const alone = drawApproval(open({ risk }), canvas, 30, true).rows
      expect(alone[0]).toContain(marked)
      const listed = drawApproval(open({}, { risk, summary: 'The other' }), canvas, 30, true).rows
      expect(listed.find((row) => row.includes('The other'))).toContain(marked)
    },
  )

  it('FR-TUI-01: a group names the keys for all, none and some; a single question does not need them', () => {
    const keys = ['Space select', 'a all', 'n none', 'o once', 'd deny']
    const group = drawApproval(open({}, {}), CANVAS, 30, true).rows.join('\n')
    for (const key of keys) expect(group).toContain(key)
    expect(drawApproval(open({}), CANVAS, 30, true).rows.join('\n')).not.toContain('a all')
  })

  it('a yes for a time or for a scope says which scope, the narrowest first', () => {
    const [narrow, wide] = REQUEST.scopes.map(({ scope }) => scope)
    expect(press(open({}), ['t'])).toEqual([{ answer: 'duration', seconds: 600, scope: narrow }])
    expect(press(open({}), ['w', 'g'])).toEqual([{ answer: 'scope', scope: wide }])
    expect(press(open({}), ['w', 'w', 'g'])).toEqual([{ answer: 'scope', scope: narrow }])
    expect(press(open({ scopes: [] }), ['t', 'g'])).toMatchObject({ hint: 'This can only be allowed once.' })
  })

  it('a landing names its files, because the change of the first may fill the screen', () => {
    const changes = [
      { path: 'old.txt', change: 'deleted' },
      { path: 'new.txt', change: 'created' },
      { path: 'a.txt', change: 'modified' },
    ] as const
    const shown = (more: Partial<ApprovalRequest>): string =>
      drawApproval(open({ kind: 'landing', diff: '', ...more }), CANVAS, 30, true).rows.join('\n')
    expect(shown({ changes })).toMatch(
      /changed: 1 created, 1 modified, 1 deleted\n  │ -old.txt \+new.txt ~a.txt$/m,
    )
    expect(shown({ changes, changes_total: 40 })).toMatch(/~a.txt and 37 more$/m)
    expect(shown({ changes: changes.slice(2) })).not.toContain('~a.txt')
    expect(shown({ changes: [], diff: 'Folder created: build\n' })).toContain('changed: no files')
  })

  it('the list of questions names what each is about, also in a narrow terminal', () => {
    const summary = 'Replace a text in src/some/folder/file.py'
    const sheet = open({ summary }, { summary: 'Write docs/notes.md (38 bytes)' })
    const rows = drawApproval(sheet, { ...CANVAS, columns: 60 }, 30, true).rows.slice(1, 3)
    expect(rows[0]).toMatch(/1 Replace a text in src\/some\/folder\/fi.*… {2}medium risk$/)
    expect(rows[1]).toMatch(/2 Write docs\/notes.md \(38 bytes\)/)
  })

  it('End goes to its last row, and Home back to the first', () => {
    const diff = `--- a/a.txt\n+++ b/a.txt\n@@ -1,0 +1,60 @@\n${Array.from({ length: 60 }, (_, at) => `+line ${at}\n`).join('')}`
    const shown = (keys: readonly string[]): string => {
      const sheet = press(open({ diff }), ['tab', ...keys], 20)
      return drawApproval(sheet as ApprovalSheet, CANVAS, 20, true).rows.join('\n')
    }
    expect(shown(['end'])).toMatch(/line 59$/m)
    expect(shown(['end'])).not.toMatch(/below|line 0$/m)
    expect(shown(['end', 'home'])).toMatch(/line 0$/m)
  })

  it('high risk is not approved before every row of it has been on the screen', () => {
    const call = { id: 'c1', name: 'run_command', args: { command: 'echo '.repeat(900) } }
    const sheet = open({ risk: 'High', call })
    for (const key of ['o', 't', 'g']) expect(press(sheet, [key])).toMatchObject({ hint: /High risk/ })
    expect(press(sheet, ['tab', 'o'], 20)).toMatchObject({
      hint: expect.stringMatching(/High risk/) as string,
    })
    const pages = Array.from({ length: 12 }, () => 'pageDown')
    expect(press(sheet, ['tab', ...pages, 'o'], 20)).toEqual(['once'])
    // What was jumped over was not seen.
    expect(press(sheet, ['tab', 'end', 'o'], 20)).toMatchObject({ hint: /High risk/ })
  })

  it('one risky call among several keeps all of them from being approved at once', () => {
    const call = { id: 'c2', name: 'run_command', args: { command: 'x '.repeat(3000) } }
    expect(press(open({}, { risk: 'High', call }), entered('a', 'o'), 20)).toMatchObject({
      at: 1,
      hint: /question 2/,
    })
  })

  it('on a low screen the keys stay in sight', () => {
    const sheet = open({ risk: 'High', note: 'it may. '.repeat(40), rung: 'a sandbox. '.repeat(40) })
    const { rows } = drawApproval(sheet, { ...CANVAS, columns: 60 }, 14, true)
    expect(rows.length).toBeLessThanOrEqual(14)
    expect(rows.join('\n')).toMatch(/write_file: Write a\.txt[\s\S]*o once/)
  })

  it.for([14, 40])(
    'shows all of a long note, and takes no yes to a risky call before (%i rows)',
    (height) => {
      const note = `${'a link leads out of the workspace, '.repeat(12)}and git would run evil`
      const sheet = open({ risk: 'High', note })
      const seen: string[] = []
      let now = sheet
      for (let page = 0; page < 10; page++) {
        const drawn = drawApproval(now, CANVAS, height, true)
        seen.push(...drawn.rows)
        const isAllSeen = drawn.sheet.shown.has(0)
        expect(isAllSeen && !seen.join('\n').includes('run evil')).toBe(false)
        const pressed = pressApproval(drawn.sheet, 'pageDown', '')
        if (pressed.is === 'open') now = pressed.sheet
      }
      expect(seen.join('\n')).toContain('run evil')
      expect(press(now, ['o'], height)).toEqual(['once'])
    },
  )

  it.for([8, 10, 12, 16, 24])(
    'keeps the question, its risk and its keys on a screen of %i rows, however long a scope or the group is',
    (height) => {
      const glob = Array.from({ length: 16 }, () => 'n'.repeat(180)).join('/')
      const scopes = [
        { scope: { kind: 'path', glob } as const, sentence: `write_file may write ${glob}/end.` },
      ]
      const rung = 'UNSANDBOXED'
      const sheet = open({ risk: 'High', scopes, rung }, ...Array.from({ length: 6 }, () => ({ scopes })))
      const seen: string[] = []
      let now = sheet
      for (let page = 0; page < 80; page++) {
        const { rows, sheet: drawn } = drawApproval(now, { ...CANVAS, columns: 60 }, height, true)
        expect(rows.length).toBeLessThanOrEqual(height)
        expect(rows[0]).toMatch(/May this run\?.*HIGH RISK/)
        expect(rows.at(-1)).toMatch(/Esc cancel/)
        seen.push(...rows)
        const isAllSeen = drawn.shown.has(0)
        expect(isAllSeen && !/UNSANDBOXED[\s\S]*end\./.test(seen.join('\n'))).toBe(false)
        const pressed = pressApproval(drawn, 'pageDown', '')
        if (pressed.is === 'open') now = pressed.sheet
      }
      expect(seen.join('\n')).toContain('Write a.txt')
      expect(press(now, entered('o'), height)).toMatchObject({ at: 1 })
    },
  )

  describe.each([60, 20])('on a screen of %i columns', (columns) => {
    const canvas = { ...CANVAS, columns }

    it.for([1, 2, 3])('takes no yes if the question has no room, only %i rows', (height) => {
      for (const risk of ['Medium', 'High'] as const)
        for (const key of ['o', 't', 'g']) {
          let now = open({ risk })
          for (const pressed of ['pageDown', 'pageDown', 'end', key]) {
            const drawn = drawApproval(now, canvas, height, true)
            expect(drawn.rows.length).toBeLessThanOrEqual(height)
            expect(drawn.rows.join(' ')).toMatch(/There is no/)
            expect(drawn.sheet.shown.size).toBe(0)
            const after = pressApproval(drawn.sheet, pressed, '')
            if (after.is === 'answered') expect.fail(`${key} was taken for an answer`)
            now = after.sheet
          }
          // Once there is room, it is asked as ever.
          expect(press(now, ['o'], 30)).toEqual(['once'])
        }
    })

    it.for([1, 2, 3])('still takes no, and later, with %i rows', (height) => {
      const { sheet } = drawApproval(open({}), canvas, height, true)
      expect(pressApproval(sheet, 'l', 'l')).toEqual({ is: 'answered', answers: 'later' })
      const typing = pressApproval(sheet, 'd', 'd')
      expect(pressApproval(typing.is === 'open' ? typing.sheet : sheet, 'enter', '')).toMatchObject({
        answers: ['deny'],
      })
    })
  })

  it('takes no yes if its rows are too narrow to be read', () => {
    const { rows, sheet } = drawApproval(open({}), { ...CANVAS, columns: 5 }, 40, true)
    expect(rows.every((row) => visibleWidth(row) <= 5)).toBe(true)
    expect(pressApproval(sheet, 'o', 'o').is).toBe('open')
  })

  it('grants for several questions only what each of them said on the screen', () => {
    const origin = { scope: { kind: 'origin', origin: 'http://a.test' }, sentence: 'all of a.test.' } as const
    const three = open({}, { scopes: [origin] }, {})
    const after = press(three, entered('a', 'g'))
    expect(after).toMatchObject({ at: 1, answers: new Map() })
    const rows = drawApproval(after as ApprovalSheet, CANVAS, 30, true).rows.join('\n')
    expect(rows).toContain('all of a.test.')
    expect(rows).toContain('Read first what this would allow')
    const [first] = REQUEST.scopes
    const own = { answer: 'scope', scope: first?.scope }
    expect(press(three, entered('a', 'g', 'g', 'g'))).toEqual([
      own,
      { answer: 'scope', scope: origin.scope },
      own,
    ])
    // Who has looked at each of them is not asked to do so again; another scope is another sentence.
    expect(press(three, entered('down', 'down', 'a', 't'))).toHaveLength(3)
    expect(press(three, entered('down', 'down', 'w', 'up', 'a', 't'))).toHaveLength(3)
  })

  it.for(['t', 'g'])('takes %s only after the sentence was on the screen to its end', (key) => {
    const sentence = `write_file may write ${'src/'.repeat(20)}end.`
    const scopes = [{ scope: { kind: 'tool' } as const, sentence }, ...REQUEST.scopes]
    const sheet = { ...open({ scopes }), scopes: new Map([[0, 0]]) }
    const seen: string[] = []
    let now: ApprovalSheet = sheet
    for (let page = 0; page < 20; page++) {
      const drawn = drawApproval(now, { ...CANVAS, columns: 60 }, 7, true)
      seen.push(...drawn.rows)
      const answered = pressApproval(drawn.sheet, key, key).is === 'answered'
      expect(answered && !seen.join('\n').includes('end.')).toBe(false)
      if (answered) return
      const pressed = pressApproval(drawn.sheet, 'pageDown', '')
      if (pressed.is === 'open') now = pressed.sheet
    }
    expect.fail('it could not be granted at all')
  })

  it('does not take what was shown before its keys for read', () => {
    const call = { id: 'c1', name: 'run_command', args: { command: 'x '.repeat(200) } }
    const sheet = { ...open({ risk: 'High', call }), isWhole: true }
    const isRead = (height: number, shownBefore: boolean): boolean => {
      const from = shownBefore ? drawApproval(sheet, CANVAS, height, false).sheet : sheet
      return drawApproval(from, CANVAS, height, true).sheet.shown.has(0)
    }
    const heights = Array.from({ length: 24 }, (_, index) => index + 6)
    expect(heights.map((height) => isRead(height, true))).toEqual(
      heights.map((height) => isRead(height, false)),
    )
    expect(heights.map((height) => isRead(height, false))).toEqual(expect.arrayContaining([true, false]))
  })

  it('until it listens it shows no keys', () => {
    expect(drawApproval(open({}), CANVAS, 30, false).rows.join('\n')).not.toMatch(/o once/)
  })

  it.for([60, 100, 200])('at %i columns no row is too wide, whatever the call holds', (columns) => {
    const args = { text: `\u001b[31m\u202e${'字'.repeat(300)}\nMay this run?` }
    const sheet = open({ call: { id: 'x', name: 'a\u001b[2J', args }, summary: '字'.repeat(100) }, {})
    const { rows } = drawApproval(sheet, { ...CANVAS, columns }, 25, true)
    for (const row of rows) expect(visibleWidth(row)).toBeLessThanOrEqual(columns)
    const withoutLooks = rows.join('').replaceAll(/\u001b\[[0-9]+m/g, '')
    expect(withoutLooks).not.toMatch(/[\u001b\u202e]/)
    expect(rows.length).toBeLessThanOrEqual(25)
  })

  describe('about a change of several hunks', () => {
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n@@ -19 +19 @@\n-e\n+f\n'
    const hunks = { lines: [2, 5, 8] }
    const typed = (text: string): readonly string[] => [...text].map((key) => (key === ' ' ? 'space' : key))

    it('numbers them, and takes a typed list', () => {
      const rows = drawApproval(open({ diff, hunks }), CANVAS, 40, true).rows.join('\n')
      expect(rows).toMatch(/\[1\] line 1\n[^]*\[2\] line 9\n[^]*\[3\] line 19\n/)
      expect(rows).toContain('s some hunks')
      expect(press(open({ diff, hunks }), ['s', ...typed('1 3'), 'enter'])).toEqual([
        { answer: 'once', hunks: [1, 3] },
      ])
      expect(press(open({ diff, hunks }), ['h', ...typed('2-3'), 'enter'])).toEqual([
        { answer: 'once', hunks: [2, 3] },
      ])
    })

    it('goes back with Escape, and answers nothing', () => {
      const back = press(open({ diff, hunks }), ['s', '1', 'escape'])
      expect(back).toMatchObject({ hunks: null })
      expect(press(open({ diff, hunks }), ['s', '1', 'escape', 'o'])).toEqual(['once'])
    })

    it('says what is wrong with a list, which stays', () => {
      const sheet = press(open({ diff, hunks }), ['s', '4', 'enter']) as ApprovalSheet
      expect(sheet.hunks).toBe('4')
      const rows = drawApproval(sheet, CANVAS, 40, true).rows.join('\n')
      expect(rows).toContain('there is no hunk 4; its diff has 3 hunks')
      expect(press(sheet, ['backspace', '3', 'enter'])).toEqual([{ answer: 'once', hunks: [3] }])
      expect(press(sheet, ['backspace', 'enter'])).toMatchObject({
        hint: 'That is not a list of hunks, such as 1 3-5.',
      })
    })

    it('is for the current question alone, whatever is selected', () => {
      const two = press(open({ diff, hunks }, {}), [...entered('a', 's'), '1', 'enter']) as ApprovalSheet
      expect([...two.answers]).toEqual([[0, { answer: 'once', hunks: [1] }]])
      expect(two.hunks).toBeNull()
      expect(drawApproval(two, CANVAS, 40, true).rows.join('\n')).toContain('yes, in part')
    })

    it('of high risk has to be read first, and the list stays meanwhile', () => {
      const risky = press(open({ diff, hunks, risk: 'High' }), ['s', '1', 'enter'], 12) as ApprovalSheet
      expect(risky).toMatchObject({ hunks: '1', hint: expect.stringContaining('read all of it first') })
      const read = [...Array.from({ length: 9 }, () => 'pageDown'), 'enter']
      expect(press(risky, ['tab', ...read], 12)).toEqual([{ answer: 'once', hunks: [1] }])
    })

    it('has no list where there is nothing to choose', () => {
      const one = { diff: '@@ -1 +1 @@\n-a\n+b\n', hunks: { lines: [0] } }
      const rows = drawApproval(open(one), CANVAS, 40, true).rows.join('\n')
      expect(rows).not.toMatch(/\[1\]|s some hunks/)
      expect(press(open(one), ['s'])).toMatchObject({
        hunks: null,
        hint: expect.stringContaining('as a whole'),
      })
    })
  })

  it('asks about an edit with the question, the change and the keys, and explains the rest behind a key', () => {
    const edit = { diff: '--- a/a.txt\n+++ b/a.txt\n@@ -9 +9 @@\n-c\n+d\n', rung: null }
    const rows = drawApproval(open(edit), CANVAS, 40, true).rows.map((row) =>
      row.replaceAll(/\u001b\[\d+m/g, ''),
    )
    expect(rows).toEqual([
      ' May this run?  medium risk',
      '  │ write_file: Write a.txt',
      '  │ 9 -c',
      '  │ 9 +d',
      ' t 10 min, g always: write_file may write a.txt.',
      ' o once · d deny · w other scope · ? more · Esc cancel',
    ])
    const sized = drawApproval(open({ ...edit, summary: 'Write a.txt (2 bytes)' }), CANVAS, 40, true).rows
    expect(sized.filter((row) => row.includes('a.txt') && !row.includes('always'))).toHaveLength(1)
    // What a command changed is named, whatever its words say.
    const landing = { ...edit, kind: 'landing', changes: [], size: 1 } as const
    expect(drawApproval(open(landing), CANVAS, 40, true).rows.join('\n')).toMatch(/│.* a\.txt\n/)
    const explained = press(open(edit), ['?']) as ApprovalSheet
    const all = drawApproval(explained, CANVAS, 40, true).rows.join('\n')
    expect(all).toContain('Asked because: the call may change files')
    expect(all).toContain('Afterwards: /undo reverts exactly this.')
    expect(all).toMatch(/l later · Tab in full · \? less · Esc cancel$/)
    expect(press(explained, ['shift+/'])).toMatchObject({ isExplained: false })
  })

  it('always says that a command cannot be undone where it cannot', () => {
    const command = { rung: 'not sandboxed', layer: 'none' } as const
    const rows = drawApproval(open(command), CANVAS, 40, true).rows.join(' ')
    expect(rows).toContain('/undo does not revert what it does')
    const layered = drawApproval(open({ ...command, layer: 'overlay' }), CANVAS, 40, true).rows.join(' ')
    expect(layered).not.toContain('/undo')
  })

  it('of a long change counts what is removed, so that it does not hide what changes', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('')
    const changed = unifiedDiff({ path: 'b.txt', before: 'one\n', after: 'two\n' })
    const draw = (gone: number, ...keys: readonly string[]): string => {
      const diff = unifiedDiff({ path: 'a.txt', before: lines(gone), after: null }) + changed
      return drawApproval(press(open({ diff }), keys) as ApprovalSheet, CANVAS, 80, true).rows.join('\n')
    }
    expect(draw(50)).toMatch(/4 -line 3\n.*… 46 more lines removed …\n[^]*\+two/)
    expect(draw(50)).toContain('Tab')
    expect(draw(50, 'tab')).toContain('50 -line 49')
    expect(draw(20)).not.toContain('more lines')
  })

  it('about a landing says the command once, and what the line above it leaves out', () => {
    const diff = '@@ -1 +1 @@\n-a\n+b\n'
    const call = { id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', "make 'all'"], cwd: 'lib' } }
    const landing = {
      kind: 'landing',
      summary: `Run: sh -c "make 'all'"`,
      call,
      diff,
      changes: [],
      size: 1,
    } as const
    const rows = drawApproval(open(landing), CANVAS, 40, true).rows.join('\n')
    expect(rows.match(/make/g)).toHaveLength(1)
    expect(rows).toContain('cwd = "lib"')
    const cut = { ...landing, summary: 'Run sh -c …' }
    expect(drawApproval(open(cut), CANVAS, 40, true).rows.join('\n')).toContain('make')
  })

  it('about a landing names what its answers do', () => {
    const landing = { kind: 'landing', diff: '@@ -1 +1 @@\n-a\n+b\n', changes: [], size: 1 } as const
    const rows = drawApproval(open(landing), CANVAS, 40, true).rows.join('\n')
    expect(rows).toContain('It has run. May what it changed land?')
    expect(rows).toMatch(/t land, ask no more for 10 min, g always: [^]*o land it · d discard it/)
    const why = drawApproval(press(open(landing), ['d']) as ApprovalSheet, CANVAS, 40, true).rows.join('\n')
    expect(why).toContain('Why not? (for the model; Enter discards it, Esc goes back)')
  })
})
