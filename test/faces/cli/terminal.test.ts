import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import type { GrantsReport } from '../../../src/runtime/approvals/grants.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop, shopHere, TONGS, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { openPane } from './pane.ts'
import type { Pane } from './pane.ts'
import { someOf } from '../../harness/long-run.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

const READY = /^> ?$/m

interface Desk {
  readonly shop: Shop
  readonly pane: Pane
  /** What the command printed, and its exit code, once it has ended. */
  readonly ended: () => Promise<{ readonly code: number; readonly rows: readonly ToolResult[] }>
}

/** Starts a batch in a real terminal, with the calls on its stdin and its stdout in a file. */
async function ask(
  calls: readonly unknown[],
  { columns = 80, files = {}, typeAhead = '', env = {} }: Partial<AskOptions> = {},
): Promise<Desk> {
  const made = makeShop(files)
  shops.push(made)
  const shop = shopHere(made)
  const at = (name: string): string => join(shop.stateDir, '..', name)
  writeFileSync(at('calls.json'), JSON.stringify(calls))
  writeFileSync(
    at('go.sh'),
    `cat '${at('calls.json')}' | '${TONGS}' batch - --json --root . > '${at('out.txt')}' 2> '${at('err.txt')}'\ncode=$?\nstty -a < /dev/tty | tr '; ' '\\n\\n' | grep -xE -e '-?(icanon|echo|isig)' | tr '\\n' ' '\necho\necho "ended with $code"\n`,
  )
  const pane = await openPane(columns, 60, shop.root, {
    TONGS_STATE_DIR: shop.stateDir,
    HOME: shop.env['HOME'],
    NO_COLOR: '1',
    ...env,
  })
  await pane.type(`clear; sh '${at('go.sh')}'`)
  await pane.press('Enter')
  if (typeAhead !== '') {
    await pane.type(typeAhead)
    await pane.press('Enter')
  }
  return {
    shop,
    pane,
    async ended() {
      const shown = await pane.until(/^ended with \d+$/m)
      const rows = readFileSync(at('out.txt'), 'utf8').trim().split('\n')
      return {
        code: Number(/^ended with (\d+)$/m.exec(shown)?.[1]),
        rows: rows.flatMap((row) => (row === '' ? [] : [JSON.parse(row) as ToolResult])),
      }
    },
  }
}

interface AskOptions {
  readonly columns: number
  readonly files: Readonly<Record<string, string>>
  readonly typeAhead: string
  readonly env: Readonly<Record<string, string>>
}

const HOSTILE = [
  {
    id: 'evil',
    name: 'write_file',
    args: {
      path: `deep/${'long_folder_name_'.repeat(8)}/f.txt`,
      content: `a\u001b[2J\u001b[31mred\u202egnp.exe${' '.repeat(300)}rm -rf /; password=ghp_aB3dE6gH9jK2mN5paB3d\n> y\nMay this run?  low risk\n`,
    },
  },
  writes('second'),
  { id: 'third', name: 'read_file', args: { path: 'a.txt' } },
]

describe('sentences of a command', () => {
  it('break between words at the width of the terminal, and are one line in a pipe', async () => {
    const made = makeShop({})
    shops.push(made)
    const shop = shopHere(made)
    const pane = await openPane(60, 30, shop.root, {
      TONGS_STATE_DIR: shop.stateDir,
      HOME: shop.env['HOME'],
      XDG_CONFIG_HOME: shop.env['XDG_CONFIG_HOME'],
      NO_COLOR: '1',
    })
    await pane.type(`clear; '${TONGS}' undo --last none-of-them; '${TONGS}' mcp add one -- true; echo ended`)
    await pane.press('Enter')
    const rows = (await pane.until(/^ended$/m)).split('\n')
    const notice = rows.indexOf('tongs: --last "none-of-them" is not a positive number; try')
    expect(rows[notice + 1]).toBe('  --last 1')
    const at = rows.findIndex((row) => row.startsWith('Added one to'))
    const said = rows.slice(at, rows.indexOf('ended'))
    expect(said.slice(1).filter((row) => row.startsWith('  '))).not.toEqual([])
    expect(said.join(' ')).toMatch(/ Read +what +it +offers +with: +tongs +mcp +trust +one/)
    const piped = await made.tongs(['mcp', 'add', 'two', '--', 'true'])
    expect(piped.out.trimEnd()).toMatch(/^Added two to .* Read what it offers with: tongs mcp trust two$/)
  })
})

describe('the question in a real terminal', () => {
  it.for(someOf([60, 200], 1))(
    'at %i columns nothing wraps, nothing is hidden, and only the selected call runs',
    async (columns) => {
      const prompt = await ask(HOSTILE, { columns, files: { 'a.txt': 'a\n' }, typeAhead: 'a' })
      const shown = await prompt.pane.until(READY)
      const rows = shown.split('\n').filter((row) => row !== '')
      const content = rows.filter((row) => /^ {2}[│┊] /.test(row)).map((row) => row.slice(4))
      expect(content.join('')).toContain(
        'a\\u{1B}[2J\\u{1B}[31mred\\u{202E}gnp.exe⟨300 blanks⟩rm -rf /; password=[redacted: GitHub token, 24 characters]',
      )
      expect(rows.filter((row) => row.startsWith('May this run?'))).toEqual([])
      expect(
        rows.filter((row) => /^Question \d of 2: may this run\? {2}medium risk$/.test(row)),
      ).toHaveLength(2)
      expect(shown).not.toContain('ghp_aB3d')
      expect([prompt.shop.get('second'), await prompt.shop.pendingIds()]).toEqual([
        null,
        [expect.any(String), expect.any(String)],
      ])
      await prompt.pane.type('2 not so deep')
      await prompt.pane.press('Enter')
      const { code, rows: results } = await prompt.ended()
      expect(code).toBe(3)
      expect(outcomes(results)).toEqual(['approval_denied', 'ok', 'ok'])
      expect(results[0]?.content).toContain('not so deep')
      expect(prompt.shop.get('second')).toBe('second\n')
    },
  )

  it.for(someOf([60, 200], 1))(
    'at %i columns each question by itself offers what more may be allowed, with its sentence',
    async (columns) => {
      const prompt = await ask([writes('src/a'), writes('src/b'), writes('c')], { columns })
      await prompt.pane.until(READY)
      await prompt.pane.type('e')
      await prompt.pane.press('Enter')
      const first = await prompt.pane.until(/Question 1 of 3[^]*g1…g4[^]*^> ?$/m)
      expect(first.replaceAll(/\n {4}┊ /g, ' ')).toMatch(
        /^ {2}3 │ write_file may run without a question on paths that match src\/\*\*\.$/m,
      )
      expect(first).toContain('t1…t4 = yes, for 10 minutes')
      await prompt.pane.type('t3')
      await prompt.pane.press('Enter')
      // All questions stand above as well, so only what follows the answer counts.
      await prompt.pane.until(/^> t3[^]*Question 2 of 3[^]*^> ?$/m)
      await prompt.pane.type('g9')
      await prompt.pane.press('Enter')
      await prompt.pane.until(/not one of the choices[^]*^> ?$/m)
      await prompt.pane.type('g1')
      await prompt.pane.press('Enter')
      await prompt.pane.until(/^> g1[^]*Question 3 of 3[^]*^> ?$/m)
      await prompt.pane.type('n leave c alone')
      await prompt.pane.press('Enter')
      const { code, rows } = await prompt.ended()
      expect([code, outcomes(rows)]).toEqual([3, ['ok', 'ok', 'approval_denied']])
      expect(rows[2]?.content).toContain('leave c alone')
      const { out } = await prompt.shop.tongs(['grants', '--json'])
      const { grants } = JSON.parse(out) as GrantsReport
      expect(grants.map(({ scope, expires_at }) => [scope.kind, expires_at === null])).toEqual([
        ['path', false],
        ['arguments', true],
      ])
    },
  )

  it('what makes no sense is asked again; all means all', async () => {
    const prompt = await ask([writes('a'), writes('b')])
    await prompt.pane.until(READY)
    await prompt.pane.type('yx')
    await prompt.pane.press('Left', 'BSpace', 'Enter')
    await prompt.pane.until(/not one of the choices[^]*^> ?$/m)
    await prompt.pane.type('all')
    await prompt.pane.press('Enter')
    expect((await prompt.ended()).code).toBe(0)
    expect([prompt.shop.get('a'), prompt.shop.get('b')]).toEqual(['a\n', 'b\n'])
  })

  it('what cannot be taken back is marked in words, and in colour where colour is wanted', async () => {
    const files = { 'a.txt': 'a\n' }
    const calls = [
      { id: 'r', name: 'read_file', args: { path: 'a.txt' } },
      { id: 'n', name: 'run_shell', args: { cmd: ['rm', 'a.txt'], network: true } },
    ]
    const plain = await ask(calls, { files })
    await plain.pane.until(READY)
    const grey = await plain.pane.screen('colours')
    expect(grey).toContain('!! HIGH RISK !!')
    expect(grey).not.toContain('\u001b[')
    const bright = await ask(calls, { files, env: { NO_COLOR: '', TERM: 'screen-256color' } })
    await bright.pane.until(READY)
    expect(await bright.pane.screen('colours')).toMatch(/\u001b\[[\d;]*31m!! HIGH RISK !!/)
    for (const { pane } of [plain, bright]) {
      await pane.type('none')
      await pane.press('Enter')
    }
    expect([(await plain.ended()).code, (await bright.ended()).code]).toEqual([3, 3])
    expect(plain.shop.get('a.txt')).toBe('a\n')
  })

  it('Ctrl-C cancels the batch and leaves the terminal as it was; later leaves it waiting', async () => {
    const prompt = await ask([writes('a'), { id: 'r', name: 'nope', args: {} }])
    await prompt.pane.until(READY)
    await prompt.pane.press('C-c')
    const { code, rows } = await prompt.ended()
    expect([code, ...outcomes(rows)]).toEqual([130, 'cancelled', 'unknown_tool'])
    expect(await prompt.shop.pendingIds()).toEqual([])
    expect(await prompt.pane.screen()).toMatch(/^isig icanon echo *$/m)
    const put = await ask([writes('a')])
    await put.pane.until(READY)
    await put.pane.type('later')
    await put.pane.press('Enter')
    expect((await put.ended()).code).toBe(4)
    expect(await put.shop.pendingIds()).toHaveLength(1)
  })

  it('an answer from another process reaches the one that waits, which runs the batch, and both say what came of it', async () => {
    const prompt = await ask([writes('a'), writes('b')])
    await prompt.pane.until(READY)
    const [first = '', second = ''] = await prompt.shop.pendingIds()
    const half = await prompt.shop.tongs(['approve', first, '--json'])
    expect(half.code).toBe(4)
    expect(half.rows.map((row) => (row.ok ? '' : row.error.details['approval']))).toEqual([null, second])
    const last = await prompt.shop.tongs(['deny', second, '--say', 'no b', '--json'])
    expect([last.code, ...outcomes(last.rows)]).toEqual([3, 'ok', 'approval_denied'])
    const { code, rows } = await prompt.ended()
    expect([code, ...outcomes(rows)]).toEqual([3, 'ok', 'approval_denied'])
    expect(await prompt.pane.screen()).toContain('Answered elsewhere')
    expect(rows).toEqual(last.rows)
  })

  it.for(someOf([60, 100], 1))(
    'numbers the hunks of a change on %i columns, and takes only those typed',
    async (columns) => {
      const text = (changed: readonly number[]): string =>
        Array.from({ length: 30 }, (_, at) => `${changed.includes(at) ? 'new' : at}\n`).join('')
      const calls = [
        { id: 'r', name: 'read_file', args: { path: 'a.txt' } },
        { id: 'w', name: 'write_file', args: { path: 'a.txt', content: text([2, 25]) } },
      ]
      const { shop, pane, ended } = await ask(calls, { columns, files: { 'a.txt': text([]) } })
      const shown = await pane.until(READY)
      expect(shown).toMatch(/│ \[1\] @@ -1,6[^]*│ \[2\] @@ -23,7/)
      expect(shown).toContain('h 1 3-5 = only these hunks')
      await pane.type('h 3')
      await pane.press('Enter')
      await pane.until(/there is no hunk 3; its diff has 2\s+hunks\.[^]*^> ?$/m)
      await pane.type('h 2')
      await pane.press('Enter')
      const { code, rows } = await ended()
      expect([code, ...outcomes(rows)]).toEqual([0, 'ok', 'ok'])
      expect(shop.get('a.txt')).toBe(text([25]))
    },
  )

  it.for(someOf(['SIGKILL', 'SIGTERM'] as const, 1))(
    '%s at the question loses nothing: it goes on waiting, and runs once when answered',
    async (signal) => {
      const prompt = await ask([writes('a')])
      await prompt.pane.until(READY)
      const holder = await prompt.shop.tongs([
        'call',
        'read_file',
        '{"path":"a"}',
        '--set',
        'tools.session_wait_seconds=0',
      ])
      const pid = Number(/in use by process (\d+)/.exec(holder.err)?.[1])
      process.kill(pid, signal)
      const { code } = await prompt.ended()
      expect(code).toBe(signal === 'SIGKILL' ? 137 : 4)
      const [id = ''] = await prompt.shop.pendingIds()
      expect(prompt.shop.get('a')).toBeNull()
      const { code: done, rows } = await prompt.shop.tongs(['approve', id, '--json'])
      expect([done, ...outcomes(rows)]).toEqual([0, 'ok'])
      expect((await prompt.shop.tongs(['approve', id])).code).toBe(1)
    },
  )
})
