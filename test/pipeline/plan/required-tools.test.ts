import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalRequest, Approver } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import type { Effect, PowersOf, Tool } from '../../../src/core/tool.ts'
import type { RunOptions, Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import { NO, tool } from './rule-stage.ts'
import { batchOf, outcomes } from '../sample-tools.ts'
import { bytes } from '../execute/staging-tools.ts'

const START = [{ tool: 'required', type: 'StartConstraint' }]
const EXIT = [
  { tool: 'required', type: 'RequiredBeforeExit' },
  { tool: 'leave', type: 'ExitLoop' },
]
const EXIT_IF = [{ tool: 'required', type: 'RequiredBeforeExitIf', tools: ['other'] }]
const MADE = 'made.txt'

/** What each run of the required tool did, where that can be seen outside of it. */
const done: string[] = []

beforeEach(() => void done.splice(0))

/** What a tool of each effect does with the power that comes with it. */
const ACTS: { readonly [E in 'read' | 'edit' | 'external']: (powers: PowersOf[E]) => string } = {
  read: ({ files }) => Buffer.from(files.peek('a.txt', 100) ?? []).toString(),
  edit: ({ edits }) => {
    edits.write(MADE, bytes('made'))
    return 'staged'
  },
  external: ({ idempotencyKey }) => `key of ${idempotencyKey.length > 0 ? 'a call' : 'nothing'}`,
}
const TRACES = { read: 'alpha', edit: 'staged', external: 'key of a call' } as const
const EFFECTS = ['read', 'edit', 'external'] as const

type Acted = (typeof EFFECTS)[number]

/** A tool that `{}` fits; a rehearsal for a preview leaves no trace. */
function required<E extends Effect>(effect: E, act: (powers: PowersOf[E]) => string | Promise<string>): Tool {
  const run = async (_args: object, powers: PowersOf[E]) => {
    const trace = await act(powers)
    if (!powers.isDryRun) done.push(trace)
    return { done: trace }
  }
  return tool('required', { effect, run })
}

async function open(effect: Acted, rules: readonly object[], more: Partial<RuntimeOptions> = {}) {
  const b = bench({ 'a.txt': 'alpha' })
  const runtime = await b.open({
    tools: [
      required(effect, ACTS[effect] as (powers: PowersOf[Acted]) => string),
      tool('other'),
      tool('leave'),
    ],
    ...more,
    config: { 'tools.rules': rules, 'tools.approval.mode': 'auto', ...more.config },
  })
  const made = (): string | null =>
    existsSync(join(b.root, MADE)) ? readFileSync(join(b.root, MADE), 'utf8') : null
  return { runtime, made }
}

async function callThrice(runtime: Runtime, name: string, options: RunOptions = {}) {
  return runtime.run(batchOf([name], [name], [name]), { session: 's', ...options })
}

/** Ends a turn that a call has begun, as often as it takes. */
async function endThrice(runtime: Runtime) {
  await runtime.run(batchOf(['other']), { session: 's', turn: 't1' })
  const ends = []
  for (let at = 0; at < 3; at++) ends.push(await runtime.finishTurn({ session: 's', turn: 't1' }))
  return ends
}

const origins = (rows: readonly ToolResult[]) => rows.map(({ name, origin }) => [name, origin ?? null])

function answering(answer: 'once' | 'deny' | 'later'): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = []
  const approve: Approver = (requests) => {
    asked.push(...requests)
    return answer === 'later' ? 'later' : requests.map(() => answer)
  }
  return Object.assign(approve, { asked })
}

describe('several required tools', () => {
  const names = ['first', 'second', 'third']
  const openAll = (rules: readonly object[]) =>
    bench().open({
      tools: [...names.map((name) => tool(name)), tool('other'), tool('leave')],
      config: { 'tools.rules': rules, 'tools.approval.mode': 'auto' },
    })

  it('P-START: are all run by the runtime, each once and in the order of their rules, before the call', async () => {
    const runtime = await openAll(names.map((name) => ({ tool: name, type: 'StartConstraint' })))
    const rows = await callThrice(runtime, 'other')
    expect(origins(rows)).toEqual([
      ['other', null],
      ['other', null],
      ...names.map((name) => [name, 'runtime']),
      ['other', null],
    ])
    expect(outcomes(rows)).toEqual([NO, NO, 'ok', 'ok', 'ok', 'ok'])
  })

  it('P-EXIT: are all run by the runtime before the end, without those that have been called', async () => {
    const runtime = await openAll(names.map((name) => ({ tool: name, type: 'RequiredBeforeExit' })))
    await runtime.run(batchOf(['second']), { session: 's', turn: 't1' })
    const ends = await endThrice(runtime)
    expect(ends.map(({ mayEnd }) => mayEnd)).toEqual([false, false, true])
    expect(origins(ends[2]?.results ?? [])).toEqual([
      ['first', 'runtime'],
      ['third', 'runtime'],
    ])
  })
})

describe.each(EFFECTS)('a required tool with the effect %s', (effect) => {
  const madeBy = effect === 'edit' ? 'made' : null

  it('P-START, P-RULE-StartConstraint: is run by the runtime before the call that was refused twice for it', async () => {
    const { runtime, made } = await open(effect, START)
    const rows = await callThrice(runtime, 'other')
    expect(outcomes(rows)).toEqual([NO, NO, 'ok', 'ok'])
    expect(origins(rows).slice(2)).toEqual([
      ['required', 'runtime'],
      ['other', null],
    ])
    expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
  })

  it('P-RULE-RequiredBeforeExit: is run by the runtime before the call that would end the loop', async () => {
    const { runtime, made } = await open(effect, EXIT)
    const rows = await callThrice(runtime, 'leave')
    expect(outcomes(rows)).toEqual([NO, NO, 'ok', 'ok'])
    expect(origins(rows).slice(2)).toEqual([
      ['required', 'runtime'],
      ['leave', null],
    ])
    expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
  })

  it.each([
    ['P-RULE-RequiredBeforeExit, P-EXIT', EXIT],
    ['P-RULE-RequiredBeforeExitIf', EXIT_IF],
  ])('%s: is run by the runtime before the end of the turn', async (_ids, rules) => {
    const { runtime, made } = await open(effect, rules)
    const ends = await endThrice(runtime)
    expect(ends.map(({ mayEnd, escalation }) => [mayEnd, escalation])).toEqual([
      [false, 1],
      [false, 2],
      [true, 0],
    ])
    expect(origins(ends[2]?.results ?? [])).toEqual([['required', 'runtime']])
    expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
  })

  it('is not run by a dry run', async () => {
    const { runtime, made } = await open(effect, START)
    expect(outcomes(await callThrice(runtime, 'other', { dryRun: true }))).toEqual([NO, NO, NO])
    const turn = { session: 's', turn: 't1' }
    for (let at = 0; at < 2; at++) expect(outcomes(await runtime.run(batchOf(['other']), turn))).toEqual([NO])
    expect(outcomes(await runtime.run(batchOf(['other']), { ...turn, dryRun: true }))).toEqual([NO])
    expect([done, made()]).toEqual([[], null])
  })
})

describe.each(['edit', 'external'] as const)(
  'a required tool with the effect %s that needs approval',
  (effect) => {
    const PROMPT = { 'tools.approval.mode': 'prompt' }
    const madeBy = effect === 'edit' ? 'made' : null

    it('is asked about, alone, before the runtime runs it', async () => {
      const approve = answering('once')
      const { runtime, made } = await open(effect, START, { approve, config: PROMPT })
      expect(outcomes(await callThrice(runtime, 'other'))).toEqual([NO, NO, 'ok', 'ok'])
      expect(approve.asked.map(({ call }) => call.name)).toEqual(['required'])
      expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
    })

    it('waits before a call if its question is put off, once, and the turn goes on after a yes', async () => {
      const approve = answering('later')
      const { runtime, made } = await open(effect, START, { approve, config: PROMPT })
      const turn = { session: 's', turn: 't1' }
      const calls = batchOf(['other'], ['other'], ['other'], ['other'])
      expect(outcomes(await runtime.run(calls, turn))).toEqual([NO, NO, 'approval_required', NO, NO])
      expect(outcomes(await runtime.run(batchOf(['other']), turn))).toEqual([NO])
      expect(approve.asked.map(({ call }) => call.name)).toEqual(['required'])
      expect((await runtime.pending()).map(({ call }) => call.name)).toEqual(['required'])
      expect([done, made(), await runtime.recover({ session: 's' })]).toEqual([[], null, []])
      const { results } = await runtime.decide('all', { isApproved: true })
      expect(outcomes(results)).toEqual(['ok'])
      expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
      expect(outcomes(await runtime.run(batchOf(['other']), turn))).toEqual(['ok'])
    })

    it('stays unmet before a call if a question that was put off is answered with no', async () => {
      const { runtime, made } = await open(effect, START, { approve: answering('later'), config: PROMPT })
      await callThrice(runtime, 'other', { turn: 't1' })
      expect(outcomes((await runtime.decide('all', { isApproved: false })).results)).toEqual([
        'approval_denied',
      ])
      expect([done, made(), await runtime.pending()]).toEqual([[], null, []])
    })

    it('is not passed over if the answer is no', async () => {
      const approve = answering('deny')
      const { runtime, made } = await open(effect, START, { approve, config: PROMPT })
      expect(outcomes(await callThrice(runtime, 'other'))).toEqual([NO, NO, 'approval_denied', NO])
      expect([done, made(), await runtime.pending()]).toEqual([[], null, []])
      const exit = await open(effect, EXIT, { approve, config: PROMPT })
      const last = (await endThrice(exit.runtime))[2]
      expect(last).toMatchObject({ mayEnd: false, missing: ['required'], escalation: 3 })
      expect([done, exit.made()]).toEqual([[], null])
    })

    it('waits at the end of a turn if its question is put off, and is met by a yes', async () => {
      const { runtime, made } = await open(effect, EXIT, { approve: answering('later'), config: PROMPT })
      const last = (await endThrice(runtime))[2]
      expect(outcomes(last?.results ?? [])).toEqual(['approval_required'])
      expect((await runtime.pending()).map(({ call }) => call.name)).toEqual(['required'])
      expect([done, made()]).toEqual([[], null])
      await runtime.decide('all', { isApproved: true })
      expect([done, made()]).toEqual([[TRACES[effect]], madeBy])
      expect(await runtime.finishTurn({ session: 's', turn: 't1' })).toMatchObject({
        mayEnd: true,
        missing: [],
      })
    })

    it('stays unmet if a question that was put off is answered with no, and is not asked about again', async () => {
      const { runtime, made } = await open(effect, EXIT, { approve: answering('later'), config: PROMPT })
      await endThrice(runtime)
      await runtime.decide('all', { isApproved: false })
      expect(await runtime.finishTurn({ session: 's', turn: 't1' })).toMatchObject({
        mayEnd: false,
        missing: ['required'],
        escalation: 3,
        results: [],
      })
      expect([done, made(), await runtime.pending()]).toEqual([[], null, []])
    })

    it('is not run, and not passed over, if no one is available', async () => {
      const { runtime, made } = await open(effect, START, { config: PROMPT })
      expect(outcomes(await callThrice(runtime, 'other'))).toEqual([NO, NO, NO])
      const exit = await open(effect, EXIT, { config: PROMPT })
      const last = (await endThrice(exit.runtime))[2]
      expect(last).toMatchObject({ mayEnd: false, missing: ['required'], escalation: 3, results: [] })
      expect([done, made(), exit.made()]).toEqual([[], null, null])
    })
  },
)

describe.each([
  ['where it is known what confines commands', true],
  ['where no command has run yet', false],
])('a required tool that starts a process, %s', (_where, isKnown) => {
  const spawning = required('spawn', async ({ spawn, timeoutMs }) => {
    const { stdout } = await spawn.run({ argv: ['echo', 'hello'], timeoutMs })
    return stdout.trim()
  })
  // As with tests, to repeat it is its point: no run of an earlier turn makes it a duplicate.
  const repeatable: Tool = { ...spawning, repeatable: true }

  /** What confines commands is found out by the first of them; this one belongs to a turn of its own. */
  async function openFor(rules: readonly object[]): Promise<Runtime> {
    const runtime = await bench().open({
      tools: [repeatable, tool('other'), tool('leave')],
      config: { 'tools.rules': rules, 'tools.approval.mode': 'auto', 'tools.shell.sandbox': 'none' },
    })
    if (!isKnown) return runtime
    expect(outcomes(await runtime.run(batchOf(['required']), { session: 's', turn: 't0' }))).toEqual(['ok'])
    done.splice(0)
    return runtime
  }

  it.each([
    ['P-START, P-RULE-StartConstraint', 'any other call', START, 'other'],
    ['P-RULE-RequiredBeforeExit', 'the call that would end the loop', EXIT, 'leave'],
  ] as const)('%s: is run by the runtime before %s', async (_ids, _what, rules, name) => {
    const rows = await callThrice(await openFor(rules), name)
    expect(outcomes(rows)).toEqual([NO, NO, 'ok', 'ok'])
    expect(origins(rows).slice(2)).toEqual([
      ['required', 'runtime'],
      [name, null],
    ])
    expect(done).toEqual(['hello'])
  })

  it('P-RULE-RequiredBeforeExitIf: is run by the runtime before the end of the turn', async () => {
    const last = (await endThrice(await openFor(EXIT_IF)))[2]
    expect(last).toMatchObject({ mayEnd: true, missing: [], escalation: 0 })
    expect(origins(last?.results ?? [])).toEqual([['required', 'runtime']])
    expect(done).toEqual(['hello'])
  })
})
