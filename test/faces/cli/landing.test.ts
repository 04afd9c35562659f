import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { errorOf } from '../../bench-folder.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { useShops, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { someOf } from '../../harness/long-run.ts'
import { shellWord } from '../../harness/shell-word.ts'

const openShop = useShops()

function shop(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'src/x.txt': 'x\n' }): Shop {
  return openShop(files)
}

const run = (line: string, id = 'c') => ({ id, name: 'run_shell', args: { cmd: ['sh', '-c', line] } })
const MESS = 'echo said; rm -r src; echo two > a.txt; echo n > new.txt'

const resultOf = (row: ToolResult | undefined) => (row?.ok === true ? row.result : null)

interface Waiting {
  readonly id: string
  readonly kind: string
  readonly changes?: readonly { readonly path: string; readonly change: string }[]
  readonly size?: number
  readonly diff: string | null
  readonly note?: string
}

async function waitingIn(s: Shop): Promise<readonly Waiting[]> {
  const { out } = await s.tongs(['pending', '--json'])
  return (JSON.parse(out) as { approvals: Waiting[] }).approvals
}

/** The layers that are kept; each is a folder named after its call. */
function layersOf({ stateDir }: Shop): readonly string[] {
  const place = join(stateDir, 'layers')
  return existsSync(place) ? readdirSync(place) : []
}

const untouched = (s: Shop) => [s.get('a.txt'), s.get('src/x.txt'), s.get('new.txt')]
const BEFORE = ['one\n', 'x\n', null]
const AFTER = ['two\n', null, 'n\n']

describe('a command on its layer', () => {
  it('that only reads asks nothing and leaves nothing', async () => {
    const s = shop()
    const { code, rows } = await s.batch([run('cat a.txt; ls -l; grep -r one . >/dev/null')])
    expect(code).toBe(0)
    expect(resultOf(rows[0])).toMatchObject({ exit_code: 0, layer: 'overlay', changes: [] })
    expect(layersOf(s)).toEqual([])
  })

  it.for(['overlay', 'none'])(
    'is on record with its layer, which why and the audit trail name: %s',
    async (layer) => {
      const s = shop()
      const options = layer === 'none' ? ['--set', 'tools.shell.layer=off', '--yes'] : ['--yes']
      const { rows } = await s.batch([run(MESS)], ...options)
      expect(resultOf(rows[0])).toMatchObject({ layer })
      const named = new RegExp(`^sandboxed by .*; layer: ${layer}$`)
      const { out: why } = await s.tongs(['why', rows[0]?.execution.id ?? '', '--json'])
      const { gates } = JSON.parse(why) as { gates: { gate: string; fact: string }[] }
      expect(gates.find(({ gate }) => gate === 'confinement')?.fact).toMatch(named)
      const { out: trail } = await s.tongs(['audit', 'export', '--json'])
      const last = JSON.parse(trail.trim().split('\n').at(-1) ?? '') as { sandbox?: string }
      expect(last.sandbox).toMatch(named)
    },
  )

  it('can be let land again with the same arguments, never whatever they are', async () => {
    const s = shop()
    const grow = run('echo more >> a.txt')
    await s.batch([grow])
    const [{ id = '' } = {}] = await waitingIn(s)
    expect((await s.tongs(['pending'])).out).toMatch(/--scope arguments$/m)
    const wide = await s.tongs(['approve', id, '--scope', 'tool'])
    expect([wide.code, wide.err]).toEqual([1, expect.stringContaining('with exactly its arguments instead')])
    expect((await s.tongs(['approve', id, '--for', '600'])).code).toBe(0)
    expect((await s.batch([grow], '--set', 'tools.dedupe_window_seconds=0')).code).toBe(0)
    expect(s.get('a.txt')).toBe('one\nmore\nmore\n')
    expect((await s.batch([run('echo evil > b.sh')])).code).toBe(4)
    expect(s.get('b.sh')).toBeNull()
  })

  it('asks about what it changed, and the answer may come from another process', async () => {
    const s = shop()
    const first = await s.batch([run(MESS)])
    expect(first.code).toBe(4)
    expect(first.rows[0]?.execution.state).toBe('EXECUTING')
    expect(untouched(s)).toEqual(BEFORE)
    const [question] = await waitingIn(s)
    expect(question).toMatchObject({
      kind: 'landing',
      changes: [
        { path: 'a.txt', change: 'modified' },
        { path: 'new.txt', change: 'created' },
        { path: 'src/x.txt', change: 'deleted' },
      ],
    })
    expect(question?.diff).toContain('+two')
    const { code, rows } = await s.tongs(['approve', question?.id ?? '', '--json'])
    expect(code).toBe(0)
    expect(resultOf(rows[0])).toMatchObject({ stdout: 'said\n' })
    expect(untouched(s)).toEqual(AFTER)
    expect((await s.tongs(['undo', '--yes', '--json', '--session', 'cli'])).code).toBe(0)
    expect(untouched(s)).toEqual(BEFORE)
    expect((await s.tongs(['redo', '--yes', '--json', '--session', 'cli'])).code).toBe(0)
    expect(untouched(s)).toEqual(AFTER)
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it('is discarded by a no, and what it printed still reaches the model', async () => {
    const s = shop()
    await s.batch([run(MESS)])
    const [question] = await waitingIn(s)
    const { code, rows } = await s.tongs(['deny', question?.id ?? '', '--say', 'not that', '--json'])
    expect(code).toBe(3)
    expect(outcomes(rows)).toEqual(['approval_denied'])
    expect(rows[0]?.execution.state).toBe('ROLLED_BACK')
    expect(errorOf(rows[0]).details).toMatchObject({ discarded: true, effects: 'discarded' })
    expect(rows[0]?.content).toContain('said')
    expect(rows[0]?.content).toContain('not that')
    expect(untouched(s)).toEqual(BEFORE)
    expect(layersOf(s)).toEqual([])
  })

  it('says in its question that it did not end well', async () => {
    const s = shop()
    await s.batch([run('echo half > half.txt; exit 3')])
    const [question] = await waitingIn(s)
    expect(question?.note).toContain('ended with exit code 3')
    await s.tongs(['deny', 'all'])
    await s.batch([run('echo half > half.txt; kill -9 $$')])
    expect((await s.tongs(['pending'])).out).toContain('ended by SIGKILL')
    await s.tongs(['deny', 'all'])
    await s.batch([run('echo whole > whole.txt')])
    expect((await waitingIn(s))[0]).not.toHaveProperty('note')
  })

  it('stops its batch: what came before has its results, what comes after begins with the answer', async () => {
    const s = shop()
    const read = { id: 'r', name: 'read_file', args: { path: 'a.txt' } }
    const first = await s.batch([read, run(MESS), { ...read, id: 'r2' }])
    expect(outcomes(first.rows)).toEqual(['ok', 'approval_required', 'approval_required'])
    expect(first.rows.map(({ execution }) => execution.state)).toEqual([
      'COMPLETED',
      'EXECUTING',
      'VALIDATED',
    ])
    expect(errorOf(first.rows[2]).details['approval']).toBeNull()
    const { rows } = await s.tongs(['approve', 'all', '--json'])
    expect(outcomes(rows)).toEqual(['ok', 'ok', 'ok'])
    expect(rows[2]?.content).toBe('two\n')
  })

  it('keeps answers that were given before it ran', async () => {
    const s = shop()
    await s.batch([run(MESS), writes('b')])
    const [early] = await waitingIn(s)
    expect(early).toMatchObject({ kind: 'call' })
    const half = await s.tongs(['approve', early?.id ?? '', '--json'])
    expect(half.code).toBe(4)
    expect(s.get('b')).toBeNull()
    const [landing, ...more] = await waitingIn(s)
    expect(landing).toMatchObject({ kind: 'landing' })
    expect(more).toEqual([])
    const { rows } = await s.tongs(['approve', landing?.id ?? '', '--json'])
    expect(outcomes(rows)).toEqual(['ok', 'ok'])
    expect([...untouched(s), s.get('b')]).toEqual([...AFTER, 'b\n'])
  })

  it.each(
    someOf(
      [
        ['tools.mode=disabled', 'disabled'],
        ['tools.approval.enabled=false', 'disabled'],
        ['tools.approval.mode=deny', 'not_allowed'],
        ['tools.approval.denylist=["run_shell"]', 'denylisted'],
        ['tools.run_shell.enabled=false', 'denylisted'],
        ['tools.approval.allowed_effects=["read"]', 'not_allowed'],
        ['tools.capabilities.granted=["filesystem.read"]', 'capability_denied'],
      ] as const,
      3,
    ),
  )('does not land with a yes once the configuration refuses it: %s', async (setting, code) => {
    const s = shop()
    await s.batch([run(MESS)])
    const { rows } = await s.tongs(['approve', 'all', '--json', '--set', setting])
    expect(outcomes(rows)).toEqual([code])
    expect(untouched(s)).toEqual(BEFORE)
    expect(layersOf(s)).toEqual([])
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })

  it.each([
    ['deny', 'not_allowed', BEFORE],
    ['no idea', 'not_allowed', BEFORE],
    ['abstain', 'ok', AFTER],
    ['ask', 'ok', AFTER],
  ] as const)('asks a gate that came while it waited, which said %j: %s', async (word, code, files) => {
    const s = shop()
    await s.batch([run(MESS)])
    const gates = `tools.gates=[{name="mine",command=["sh","-c","echo ${word}"],tools=["run_*"]}]`
    const { rows } = await s.tongs(['approve', 'all', '--json', '--set', gates])
    expect(outcomes(rows)).toEqual([code])
    expect(untouched(s)).toEqual(files)
    if (code === 'ok') return
    expect(layersOf(s)).toEqual([])
    const why = await s.tongs(['why', rows[0]?.execution.id ?? '', '--json'])
    expect(why.out).toMatch(/mine: (?:deny|no answer)/)
  })

  it('lands nothing in a folder that is not an allowed one any more', async () => {
    const s = shop()
    const other = join(s.root, '..', 'other')
    mkdirSync(other)
    const roots = ['--set', `tools.sandbox.allowed_roots=[".", ${JSON.stringify(other)}]`]
    const line = `echo two > a.txt; echo n > ${shellWord(join(other, 'n.txt'))}`
    expect((await s.batch([run(line)], ...roots)).code).toBe(4)
    const { rows } = await s.tongs(['approve', 'all', '--json'])
    expect(outcomes(rows)).toEqual(['path_outside_sandbox'])
    expect([readdirSync(other), s.get('a.txt')]).toEqual([[], 'one\n'])
    // With the folder allowed, the same lands.
    expect((await s.batch([run(line)], ...roots)).code).toBe(4)
    expect(outcomes((await s.tongs(['approve', 'all', '--json', ...roots])).rows)).toEqual(['ok'])
    expect([readdirSync(other), s.get('a.txt')]).toEqual([['n.txt'], 'two\n'])
  })

  it('does not land over what a person changed meanwhile', async () => {
    const s = shop()
    await s.batch([run(MESS)])
    s.put('a.txt', 'mine\n')
    const { code, rows } = await s.tongs(['approve', 'all', '--json'])
    expect(code).toBe(1)
    expect(outcomes(rows)).toEqual(['stale_file'])
    expect(errorOf(rows[0]).details).toMatchObject({ file: 'a.txt', layer: rows[0]?.execution.id })
    expect(layersOf(s)).toEqual([rows[0]?.execution.id])
    expect(untouched(s)).toEqual(['mine\n', 'x\n', null])
  })

  it('lands unasked with --yes, and a nonzero exit code is a result', async () => {
    const s = shop()
    const { code, rows } = await s.batch([run(`${MESS}; exit 3`)], '--yes')
    expect(code).toBe(0)
    expect(resultOf(rows[0])).toMatchObject({ exit_code: 3 })
    expect(untouched(s)).toEqual(AFTER)
  })

  it('lands nothing if it ran out of time', async () => {
    const s = shop()
    const slow = { id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', `${MESS}; sleep 60`], timeout: 1 } }
    const { rows } = await s.batch([slow], '--yes')
    expect(outcomes(rows)).toEqual(['timeout'])
    expect(rows[0]?.execution.state).toBe('ROLLED_BACK')
    expect(errorOf(rows[0]).details).toMatchObject({ effects: 'discarded' })
    expect(untouched(s)).toEqual(BEFORE)
    expect(layersOf(s)).toEqual([])
  })

  it.each(['after', 'before'])(
    'keeps what it had changed by then, if the settings say so (asked %s)',
    async (when) => {
      const s = shop()
      const slow = {
        id: 'c',
        name: 'run_shell',
        args: { cmd: ['sh', '-c', `${MESS}; sleep 60`], timeout: 1 },
      }
      const { rows } = await s.batch(
        [slow],
        '--yes',
        '--set',
        'tools.shell.on_stop=keep',
        '--set',
        `tools.shell.ask=${when}`,
      )
      expect(outcomes(rows)).toEqual(['timeout'])
      expect(rows[0]?.execution.state).toBe('ABORTED')
      expect(untouched(s)).toEqual(AFTER)
      expect((await s.tongs(['undo', '--yes', '--json', '--session', 'cli'])).code).toBe(0)
      expect(untouched(s)).toEqual(BEFORE)
    },
  )

  it('can be tried without anything landing', async () => {
    const s = shop()
    const { code, rows } = await s.batch([run(MESS)], '--dry-run')
    expect(code).toBe(0)
    expect(resultOf(rows[0])).toMatchObject({
      dry_run: true,
      stdout: 'said\n',
      changes: [{ path: 'a.txt' }, { path: 'new.txt' }, { path: 'src/x.txt' }],
    })
    expect(JSON.stringify(resultOf(rows[0]))).toContain('+two')
    expect(untouched(s)).toEqual(BEFORE)
    expect(layersOf(s)).toEqual([])
  })

  it('is asked about beforehand if the settings say so, and that yes covers the landing', async () => {
    const s = shop()
    const first = await s.batch([run(MESS)], '--set', 'tools.shell.ask=before')
    expect(first.rows[0]?.execution.state).toBe('VALIDATED')
    const [question] = await waitingIn(s)
    expect(question).toMatchObject({ kind: 'call' })
    const { code } = await s.tongs([
      'approve',
      question?.id ?? '',
      '--json',
      '--set',
      'tools.shell.ask=before',
    ])
    expect(code).toBe(0)
    expect(untouched(s)).toEqual(AFTER)
  })

  it.for([
    ['before', 'after', 0, AFTER],
    ['both', 'after', 4, BEFORE],
    ['before', 'both', 3, BEFORE],
  ] as const)(
    'asked about with %s and approved with %s, ends with %i',
    async ([asked, approved, code, files]) => {
      const s = shop()
      await s.batch([run(MESS)], '--set', `tools.shell.ask=${asked}`)
      const [question] = await waitingIn(s)
      const end = await s.tongs([
        'approve',
        question?.id ?? '',
        '--json',
        '--set',
        `tools.shell.ask=${approved}`,
      ])
      expect(end.code).toBe(code)
      expect(untouched(s)).toEqual(files)
    },
  )

  it('changes the workspace itself where layers are off', async () => {
    const s = shop()
    const { rows } = await s.batch([run(MESS)], '--yes', '--set', 'tools.shell.layer=off')
    expect(resultOf(rows[0])).toMatchObject({ layer: 'none' })
    expect(untouched(s)).toEqual(AFTER)
  })
})
