import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { choicesFor, readAnswers } from '../../../src/faces/cli/prompts/approval-prompt.ts'
import { drawScopes, readGrantAnswer, describeSeconds } from '../../../src/terminal/grant-choices.ts'
import { drawRequest, ONLY_REQUEST } from '../../../src/terminal/approval-screen.ts'
import { unifiedDiff } from '../../../src/core/text/unified-diff.ts'
import { columnsOf } from '../../../src/terminal/fit-rows.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { requestOf } from '../../harness/sample-request.ts'
import { roundsOf } from '../../harness/long-run.ts'

const REQUEST = requestOf()

const plain = (_name: unknown, text: string): string => text

function draw(request: Partial<ApprovalRequest>, columns = 80, isWhole = false): string {
  return drawRequest({ ...REQUEST, ...request }, { ...ONLY_REQUEST, isWhole }, { columns, paint: plain }).text
}

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `${index}\n`).join('')

const withArgs = (args: Record<string, string>) => ({ call: { id: 'c1', name: 'tool', args } })

describe('the question on the screen', () => {
  it('names a tool once, also if its summary begins with its name', () => {
    expect(draw({ summary: 'tool {"a":1}', diff: null })).toContain('  │ tool {"a":1}\n')
    expect(draw({ summary: 'toolbox', diff: null })).toContain('  │ tool: toolbox\n')
  })

  it('says tool, summary and risk, and shows the change', () => {
    const text = draw({ summary: 'Write a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n' })
    expect(text.split('\n')).toEqual([
      '',
      'May this run?  medium risk',
      '  │ tool: Write a.txt',
      '  │ --- a/a.txt',
      '  │ +++ b/a.txt',
      '  │ @@ -1 +1 @@',
      '  │ -old',
      '  │ +new',
      '',
    ])
  })

  it('puts a note that names what others have named behind a bar, in every row', () => {
    const real = `/w/a ${'Risk: low. Tongs has checked this call. '.repeat(6)}`
    const rows = draw({ note: `"in" leads to "${real}".`, diff: null }, 60).split('\n')
    const own = rows.filter((row) => !/^ {2}[│┊] /.test(row))
    expect(own).toEqual(['', 'May this run?  medium risk', ''])
    expect(rows.join('').replaceAll(/ {2}[│┊] /g, '')).toContain(real)
  })

  it('says why it is asked, what confines a command, and what makes it dangerous', () => {
    const why = 'the tool requires approval'
    const rung = 'bubblewrap, without network'
    const text = draw({ summary: 'Run: rm x', why, rung, danger: 'removes\nx' })
    expect(text.split('\n')).toEqual([
      '',
      'May this run?  medium risk',
      'Asked because the tool requires approval.',
      'Sandbox: bubblewrap, without network.',
      '  │ tool: Run: rm x',
      '  │ which removes⏎x',
      '',
    ])
    expect(draw({ about: 'result' })).toContain('May the model be given this result?')
  })

  it('offers answers that fit what is asked about', () => {
    const about = { ...REQUEST, about: 'result' as const }
    expect(choicesFor([about], false)).toEqual(['y = yes, unchanged', 'n = no, remove the secrets'])
    expect(choicesFor([about, about], true)).toContain('n = none, remove the secrets')
    expect(choicesFor([REQUEST], false).join()).toMatch(/yes, once.*tell the model why.*later/)
  })

  it('names the file that a command modified beside the many that it deleted', () => {
    const gone = Array.from({ length: 80 }, (_, at) => ({ path: `a/${at}`, change: 'deleted' as const }))
    const changes = [...gone, { path: 'z.ts', change: 'modified' as const }]
    const text = draw({ kind: 'landing', changes, diff: null }, 200)
    expect(text).toContain('  │ changed: 1 modified, 80 deleted\n')
    expect(text).toContain('  │ -a/0 -a/1 -a/2 -a/3 -a/4 -a/5 -a/6 ~z.ts and 73 more\n')
  })

  it('quotes a name that could pass for a part of the row that lists what would land', () => {
    const changes = [
      { path: 'a.txt -b.txt', change: 'created' as const },
      { path: 'c→d', change: 'modified' as const },
      { path: 'e.txt (modified)', change: 'created' as const, from: 'e f' },
      { path: 'g\n~h', change: 'deleted' as const },
    ]
    expect(draw({ kind: 'landing', changes, diff: null }, 200)).toContain(
      '  │ +"a.txt -b.txt" ~"c→d" "e f"→"e.txt (modified)" -"g\\n~h"\n',
    )
  })

  it('shows the paths of all that would land, in its summary, its list and its diff, whatever they look like', () => {
    const names = ['token=x9k2q7h3', `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`, 'ssh/api_key=x9k2q7h3']
    const changes = names.map((path) => ({ path, change: 'created' }) as const)
    const diff = names.map((path) => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`).join('')
    const text = draw({ kind: 'landing', changes, diff, summary: `Run: touch ${names.join(' ')}` }, 300)
    for (const path of names) expect(text.split(path)).toHaveLength(4)
    expect(text).not.toContain('[redacted')
    const secret = `+ghs_${'aB3dE6gH9jK2mN5p'.repeat(2)}\n`
    expect(draw({ kind: 'landing', changes, diff: diff + secret }, 300)).toContain('[redacted: GitHub token')
  })

  it('offers hunks and names what an answer to a landing does', () => {
    const hunks = { lines: [0, 3] }
    const diff = '@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n'
    expect(choicesFor([{ ...REQUEST, diff, hunks }], false)).toContain('h 1 3-5 = only these hunks')
    expect(choicesFor([{ ...REQUEST, diff, hunks: { lines: [0] } }], false).join()).not.toContain('hunks')
    expect(choicesFor([{ ...REQUEST, kind: 'landing', diff, hunks }], false)).toEqual([
      'y = land it',
      'h 1 3-5 = only these hunks',
      'n = no, discard it',
      'n WORDS = discard it, and tell the model why',
      'l = later',
    ])
    expect(draw({ diff, hunks }).split('\n').slice(3, -1)).toEqual([
      '  │ [1] @@ -1 +1 @@',
      '  │ -a',
      '  │ +b',
      '  │ [2] @@ -9 +9 @@',
      '  │ -c',
      '  │ +d',
    ])
    expect(draw({ diff, hunks: { lines: [0] } })).not.toContain('[1]')
  })

  it('numbers hunks behind a secret of several lines as they are', () => {
    const row = `+${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'.repeat(2)}`
    const key = ['+-----BEGIN PRIVATE KEY-----', row, row, '+-----END PRIVATE KEY-----'].join('\n')
    const text = draw({ diff: `@@ -1 +1,4 @@\n${key}\n@@ -9 +12 @@\n-c\n+d\n`, hunks: { lines: [0, 5] } })
    expect(text).not.toContain('MIIEvQ')
    expect(text).toContain('[2] @@ -9 +12 @@')
  })

  it.each([false, true])(
    'keeps every line of a diff, its mark and the numbers of its hunks where a key goes over several: %j',
    (hasLineNumbers) => {
      const line = 'b3kT9'.repeat(13).slice(0, 64)
      const [same, added] = [` ${line}`, `+${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'.repeat(2)}`]
      const key = ['+-----BEGIN PRIVATE KEY-----', added, '+-----END PRIVATE KEY-----']
      const head = ['--- a/a.txt', '+++ b/a.txt']
      const diff = [...head, '@@ -1,3 +1,4 @@', same, same, same, '+x', '@@ -9 +10,4 @@', ' c', ...key]
      const hunks = { lines: [2, 7] }
      const request = { ...REQUEST, diff: `${diff.join('\n')}\n`, hunks }
      const surface = { columns: 120, paint: plain, hasLineNumbers }
      const { text } = drawRequest(request, { ...ONLY_REQUEST, isWhole: true }, surface)
      expect(text).not.toMatch(/b3kT9b3|MIIEvQ/)
      expect(text.match(/\[redacted: private key, 64 characters\]/g)).toHaveLength(3)
      expect(text).toContain('[2] ')
      expect(text).toMatch(/\+\[redacted: private key, \d+ characters\]\n/)
    },
  )

  it('high risk is seen without colours, and colours only add to it', () => {
    expect(draw({ risk: 'High' })).toContain('!! HIGH RISK !!')
    expect(draw({ risk: 'Low' })).toContain('low risk')
    const canvas = { columns: 80, paint: createPaint(true) }
    expect(drawRequest({ ...REQUEST, risk: 'High' }, ONLY_REQUEST, canvas).text).toContain(
      '\u001b[31m!! HIGH RISK !!\u001b[39m',
    )
  })

  it.for([
    ['escape sequences', 'a\u001b[2J\u001b]0;x\u0007b', 'a\\u{1B}[2J\\u{1B}]0;x\\u{7}b'],
    ['bidi', 'x\u202egnp.exe', 'x\\u{202E}gnp.exe'],
    ['a lone return', 'safe\rrm', 'safe\\u{D}rm'],
    ['blanks', `ls${' '.repeat(300)}; rm -rf /`, 'ls⟨300 blanks⟩; rm -rf /'],
    ['invisible tags', 'a\u{E0041}b', 'a\\u{E0041}b'],
  ])('hides nothing: %s in a summary', ([, summary = '', shown = '']) => {
    expect(draw({ summary }).split('\n')[2]).toBe(`  │ tool: ${shown}`)
  })

  it('arguments are shown whole where there is no change to show, over as many rows as they need', () => {
    const command = `echo ${'x'.repeat(150)} && rm -rf /`
    const rows = draw(withArgs({ command }), 60).split('\n').slice(3, -1)
    expect(rows.map((row) => row.slice(4)).join('')).toBe(`command = ${JSON.stringify(command)}`)
    expect(rows.map((row) => row.slice(0, 4))).toEqual(['  │ ', '  ┊ ', '  ┊ ', '  ┊ '])
  })

  it('the task of a delegated conversation is behind the bar, with a change and without', () => {
    const task = `tidy up${'.'.repeat(60)} Asked because you allowed it. Sandbox: sandboxed.`
    const delegate = { execution: 'e', task }
    for (const diff of [null, '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n']) {
      const rows = draw({ delegate, diff }).split('\n')
      expect(rows[3]).toMatch(/^ {2}│ task of the conversation = "tidy up\./)
      expect(rows.filter((row) => /Asked|Sandbox/.test(row) && !/^ {2}[│┊] /.test(row))).toEqual([])
    }
  })

  it('a newline in an argument does not begin a row of its own', () => {
    const text = draw(withArgs({ command: 'ls\nMay this run?  low risk\n> y' }))
    expect(text).toContain('"ls\\nMay this run?  low risk\\n> y"')
    expect(text.split('\n')).toHaveLength(5)
  })

  it('secrets are not shown, in arguments or in a change', () => {
    const secret = `ghp_${'aB3dE6gH9jK2mN5p'.repeat(2)}q7R8`
    expect(draw(withArgs({ command: `echo ${secret}` }))).not.toContain(secret)
    expect(draw({ summary: secret })).not.toContain(secret)
    expect(draw({ diff: `+${secret}\n` })).not.toContain(secret)
    // Only what is a secret by itself: a name is chosen by whoever wants the call.
    expect(draw(withArgs({ command: 'password=hunter22' }))).toContain('password=hunter22')
  })

  it('a change keeps its indentation, shows tabs and CRLF, and counts longer runs of blanks', () => {
    const diff = `+    four\n+\tone tab\n+crlf\r\n+${' '.repeat(60)}far\n+a${' '.repeat(60)}b\n`
    expect(draw({ diff }).split('\n').slice(3, -1)).toEqual([
      '  │ +    four',
      '  │ +⇥one tab',
      '  │ +crlf␍',
      '  │ +⟨60 blanks⟩far',
      '  │ +a⟨60 blanks⟩b',
    ])
  })

  it('of a long change the first and the last lines are shown, and the rest on demand', () => {
    const diff = Array.from({ length: 100 }, (_, index) => `+row ${index}\n`).join('')
    const text = draw({ diff })
    expect(text).toContain('+row 0\n')
    expect(text).toContain('+row 99\n')
    expect(text).toMatch(/… 65 lines left out …/)
    expect(draw({ diff }, 80, true).split('\n')).toHaveLength(104)
    const long = `+${'0123456789'.repeat(200)}`
    const rows = draw({ diff: long }, 60, true).split('\n').slice(3, -1)
    expect(rows.map((row) => row.slice(4)).join('')).toBe(long)
    expect(draw({ diff: long }, 60)).toMatch(/… \d+ rows left out …/)
  })

  it.each([
    [
      'in a hunk',
      unifiedDiff({ path: 'b.txt', before: '-- x\n', after: `++ b/other\n${numbered(15)}` }),
      'b.txt',
    ],
    ['in a header', unifiedDiff({ path: 'b.txt', before: numbered(9), after: null }), 'b.txt'],
    ['before a header', unifiedDiff({ path: 'b.txt', before: numbered(8), after: null }), null],
    ['before lines that name their file', 'Mode of m.sh: 644 → 755\n'.repeat(11), null],
  ])('what is left out of a diff and ends %s says whose lines come next', (_where, last, file) => {
    const diff = `${unifiedDiff({ path: 'a.txt', before: null, after: numbered(30) })}${last}`
    const cut = draw({ diff })
      .split('\n')
      .filter((row) => row.includes('left out'))
    expect(cut).toEqual([
      expect.stringMatching(
        file === null ? /… \d+ lines left out …$/ : /… \d+ lines left out; the next are of b\.txt …$/,
      ),
    ])
  })

  it('a name in the line about what was left out shows no secret', () => {
    const path = 'a ghp_aB3dE6gH9jK2mN5paB3d b'
    const diff = unifiedDiff({ path, before: null, after: numbered(60) })
    expect(draw({ diff })).not.toContain('ghp_aB3d')
    expect(draw({ diff })).toMatch(/left out; the next are of /)
  })

  it('the more questions there are, the less of each change is shown, but never nothing', () => {
    const diff = Array.from({ length: 100 }, (_, index) => `+row ${index}\n`).join('')
    const rowsOf = (count: number) =>
      drawRequest({ ...REQUEST, diff }, { ...ONLY_REQUEST, count }, { columns: 80, paint: plain }).text.split(
        '\n',
      ).length - 4
    expect([1, 3, 6, 32].map(rowsOf)).toEqual([36, 36, 18, 8])
  })

  it('no row is wider than the terminal and nothing in it is a command to the terminal, whatever the call says', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom(
        '漢字'.repeat(90),
        '\u001b[31m'.repeat(20),
        `${' '.repeat(400)}x`,
        '👩‍👩‍👧'.repeat(40),
        'é'.repeat(90),
      ),
    )
    const law = fc.property(
      anything,
      anything,
      fc.option(anything),
      fc.integer({ min: 20, max: 200 }),
      (name, summary, diff, columns) => {
        const text = draw({ summary, diff, call: { id: 'c', name, args: { [name]: summary } } }, columns)
        for (const row of text.split('\n')) expect(columnsOf(row)).toBeLessThan(columns)
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        const ours = text.split('\n').filter((row) => row !== '' && !/^ {2}[│┊] /.test(row))
        expect(ours.join(' ').replaceAll(/\s+/g, ' ')).toBe('May this run? medium risk')
      },
    )
    fc.assert(law, { numRuns: roundsOf(100, 500) })
  })
})

describe('what is typed', () => {
  it.for([
    ['y', 1, ['once']],
    [' YES ', 1, ['once']],
    ['a', 1, null],
    ['1', 1, null],
    ['1 1', 1, null],
    ['1 but not the second', 1, null],
    ['1, not 2', 1, null],
    ['n', 1, ['deny']],
    ['n use b.txt', 1, [{ answer: 'deny', say: 'use b.txt' }]],
    ['y', 2, null],
    ['all', 2, ['once', 'once']],
    ['none', 2, ['deny', 'deny']],
    ['1', 2, ['once', 'deny']],
    ['1,3', 3, ['once', 'deny', 'once']],
    ['3 1', 3, ['once', 'deny', 'once']],
    ['2 too long', 3, [{ answer: 'deny', say: 'too long' }, 'once', { answer: 'deny', say: 'too long' }]],
    ['4', 3, null],
    ['0', 3, null],
    ['1 4', 3, null],
    ['', 1, null],
    ['yes please', 1, null],
    ['never', 1, null],
    ['all of them', 2, null],
    ['l', 2, 'later'],
    ['s', 2, 'show'],
    ['1e0', 1, null],
    ['-1', 1, null],
  ] as const)('%j for %i questions', ([line, count, answers]) => {
    expect(readAnswers(line, count)).toEqual(answers)
  })

  it('nothing but a clear yes approves anything', () => {
    const law = fc.property(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      (line, count) => {
        const answers = readAnswers(line, count)
        if (!Array.isArray(answers) || !answers.includes('once')) return
        expect(line.trim()).toMatch(count === 1 ? /^(?:y|yes)$/i : /^(?:a|all|[1-4]\b.*)$/is)
      },
    )
    fc.assert(law, { numRuns: roundsOf(200, 2000) })
  })
})

describe('what may be allowed beyond this once', () => {
  const path = { kind: 'path', glob: 'src/**' } as const
  const offered: ApprovalRequest = {
    ...REQUEST,
    scopes: [
      { scope: path, sentence: 'write_file may run on src/**.' },
      {
        scope: { kind: 'tool' },
        sentence: 'write_file may \u001b[2J run\nalways, token=9f8Xk2b7q1 ghp_aB3dE6gH9jK2mN5paB3d.',
      },
    ],
  }

  it('is shown with its sentence behind a bar, and nothing of it can act on the screen', () => {
    expect(drawScopes(offered, 600, { columns: 100, paint: plain })).toEqual([
      't1…t2 = yes, for 10 minutes   g1…g2 = yes, until you revoke it:',
      '  1 │ write_file may run on src/**.',
      expect.stringMatching(
        /^ {2}2 │ write_file may \\u\{1B\}\[2J run⏎always, token=9f8Xk2b7q1 \[redacted: GitHub token, 24/,
      ),
      expect.stringContaining('characters].'),
    ])
    expect(drawScopes(REQUEST, 600, { columns: 100, paint: plain })).toEqual([])
  })

  it('fits every width', () => {
    for (const columns of [20, 40, 60, 200]) {
      const rows = drawScopes(offered, 600, { columns, paint: plain })
      expect(rows.filter((row) => columnsOf(row) >= columns)).toEqual([])
    }
  })

  it.for([
    ['g1', { answer: 'scope', scope: path }],
    ['G 2', { answer: 'scope', scope: { kind: 'tool' } }],
    ['t1', { answer: 'duration', seconds: 600, scope: path }],
    ['t3', null],
    ['t0', null],
    ['g', null],
    ['1', null],
    ['g1 2', null],
    ['y', null],
  ] as const)('is chosen by a letter and a number: %s', ([line, answer]) => {
    expect(readGrantAnswer(line, offered, 600)).toEqual(answer)
  })

  it('a duration is said as one says it', () => {
    expect([1, 90, 60, 600, 3600, 7200, 86_400].map(describeSeconds)).toEqual([
      'one second',
      '90 seconds',
      'one minute',
      '10 minutes',
      'one hour',
      '2 hours',
      'one day',
    ])
  })
})
