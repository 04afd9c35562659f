import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/core/approval.ts'
import type { Runtime, RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { asked, batchOf, editor, outcomes } from '../sample-tools.ts'
import { settableClock } from '../approve/waiting-bench.ts'

type Answer = ApprovalAnswer | 'later'

const utf8 = new TextEncoder()

/** Says yes to the first question and to what is like it, for ten minutes, and answers all others like this. */
function granting(later: Answer) {
  let isFirst = true
  return asked((requests) =>
    requests.map(({ scopes }) => {
      if (!isFirst) return later
      isFirst = false
      const scope = scopes.some((one) => one.scope.kind === 'tool')
        ? ({ kind: 'tool' } as const)
        : scopes[0]?.scope
      if (scope === undefined) throw new Error('no scope is offered')
      return { answer: 'duration', seconds: 600, scope } as const
    }),
  )
}

async function revokeAll(runtime: Runtime): Promise<void> {
  for (const { id } of (await runtime.grants()).grants) await runtime.revoke(id)
}

/** The ways in which a grant comes to its end. */
const ENDS = ['revoked', 'over'] as const

/** A runtime that gives a grant, and what ends it. */
async function granted(later: Answer, options: Partial<RuntimeOptions> = {}) {
  const b = bench()
  const clock = settableClock()
  const approve = granting(later)
  const runtime = await b.open({
    durability: 'normal',
    approve,
    clock,
    ...options,
    config: { 'tools.dedupe_window_seconds': 0, ...options.config },
  })
  const end = async (how: (typeof ENDS)[number]): Promise<void> => {
    if (how === 'over') clock.aheadMs = 601_000
    else await revokeAll(runtime)
  }
  return { b, runtime, questions: approve.questions, end }
}

const LINE = 'echo begun; sleep 0.8; echo one >> out.txt'
const command = (line: string) => batchOf(['run_shell', { cmd: ['sh', '-c', line], timeout: 3 }])

/** Runs a command whose grant ends while it runs, the second time that it runs. */
async function endedWhileRunning(
  { runtime, end }: Awaited<ReturnType<typeof granted>>,
  how: (typeof ENDS)[number] | null,
  line = LINE,
) {
  await runtime.run(command(line))
  let ending: Promise<void> | null = null
  const results = await runtime.run(command(line), {
    onEvent: ({ event }) => {
      if (event === 'output' && how !== null) ending ??= end(how)
    },
  })
  await ending
  return results
}

describe('a command whose grant ends while it runs', () => {
  it.each(ENDS)('is asked about before it lands, and after a no nothing of it lands: %s', async (how) => {
    const one = await granted('deny')
    const [result] = await endedWhileRunning(one, how)
    expect(errorOf(result)).toMatchObject({ code: 'approval_denied', details: { reason: 'denied' } })
    expect(one.questions.length).toBe(2)
    expect(one.questions[1]?.[0]?.why).toContain('no longer counts')
    expect(readFileSync(join(one.b.root, 'out.txt'), 'utf8')).toBe('one\n')
  })

  it('lands after a yes, although the grant is gone', async () => {
    const one = await granted('once')
    expect(outcomes(await endedWhileRunning(one, 'revoked'))).toEqual(['ok'])
    expect(one.questions.length).toBe(2)
    expect(readFileSync(join(one.b.root, 'out.txt'), 'utf8')).toBe('one\none\n')
  })

  it('waits, if answers may come later', async () => {
    const one = await granted('later')
    expect(outcomes(await endedWhileRunning(one, 'revoked'))).toEqual(['approval_required'])
    const [pending] = await one.runtime.pending()
    expect(pending).toMatchObject({ kind: 'landing', call: { name: 'run_shell' } })
    expect(readFileSync(join(one.b.root, 'out.txt'), 'utf8')).toBe('one\n')
  })

  it('keeps nothing of it unasked when it was stopped', async () => {
    const config = { 'tools.shell.on_stop': 'keep' } as const
    const one = await granted('deny', { config })
    const line = 'echo begun; [ -e out.txt ] && { echo two >> out.txt; sleep 20; }; echo one >> out.txt'
    const [result] = await endedWhileRunning(one, 'revoked', line)
    expect(errorOf(result).code).toBe('timeout')
    expect(one.questions.length).toBe(2)
    expect(readFileSync(join(one.b.root, 'out.txt'), 'utf8')).toBe('one\n')
  })

  it('control: lands without a question if the grant lasts', async () => {
    const one = await granted('deny')
    expect(outcomes(await endedWhileRunning(one, null))).toEqual(['ok'])
    expect(one.questions.length).toBe(1)
    expect(readFileSync(join(one.b.root, 'out.txt'), 'utf8')).toBe('one\none\n')
  })
})

/** A runtime with an edit that takes its time, whose grant ends while it is made for the second time. */
async function slowly(later: Answer, how: (typeof ENDS)[number] | null) {
  const slow = editor('slow', async ({ word = '' }, { edits }) => {
    edits.write('out.txt', utf8.encode(word))
    if (word === 'two' && how !== null) await one.end(how)
    return { said: '' }
  })
  const one = await granted(later, { tools: [slow] })
  expect(outcomes(await one.runtime.run(batchOf(['slow', { word: 'one' }])))).toEqual(['ok'])
  const results = await one.runtime.run(batchOf(['slow', { word: 'two' }]))
  return { ...one, results, content: readFileSync(join(one.b.root, 'out.txt'), 'utf8') }
}

describe('an edit whose grant ends while it is made', () => {
  it.each(ENDS)('is asked about, and after a no nothing of it is committed: %s', async (how) => {
    const { results, questions, content } = await slowly('deny', how)
    expect(errorOf(results[0])).toMatchObject({ code: 'approval_denied', details: { reason: 'denied' } })
    expect(questions.length).toBe(2)
    expect(questions[1]?.[0]?.why).toContain('no longer counts')
    expect(content).toBe('one')
  })

  it('is committed after a yes, and without a question if the grant lasts', async () => {
    for (const [how, asks] of [
      ['revoked', 2],
      [null, 1],
    ] as const) {
      const { results, questions, content } = await slowly('once', how)
      expect([outcomes(results), questions.length, content]).toEqual([['ok'], asks, 'two'])
    }
  })

  it('is committed without a question if another grant covers it', async () => {
    const answers = [{ kind: 'path', glob: 'src/*' }, { kind: 'tool' }] as const
    const left = answers.values()
    const approve = asked((requests) =>
      requests.map(() => {
        const { value } = left.next()
        return value === undefined ? 'deny' : { answer: 'scope', scope: value }
      }),
    )
    const slow = editor('slow', async ({ path = '' }, { edits }) => {
      edits.write(path, utf8.encode('x'))
      const { grants } = await runtime.grants()
      const narrow = grants.find(({ scope }) => scope.kind === 'path')
      if (path === 'src/b') await runtime.revoke(narrow?.id ?? '')
      return { said: '' }
    })
    const runtime: Runtime = await bench().open({ durability: 'normal', approve, tools: [slow] })
    for (const path of ['src/a', 'lib/a', 'src/b'])
      expect(outcomes(await runtime.run(batchOf(['slow', { path }]))), path).toEqual(['ok'])
    expect(approve.questions.length).toBe(2)
    expect((await runtime.grants()).grants.map(({ standing }) => standing)).toContain('revoked')
  })
})

describe('an edit that is held for the commit when its grant ends', () => {
  it.each([...ENDS, null])('is committed only if its grant still counts then: %s', async (how) => {
    const write = (name: string, meanwhile: () => Promise<void>) =>
      editor(
        name,
        async ({ word = '' }, { edits }) => {
          edits.write(name, utf8.encode(word))
          await meanwhile()
          return { said: '' }
        },
        { groupable: true },
      )
    const tools = [
      write('held', () => Promise.resolve()),
      write('beside', async () => void (how !== null && (await one.end(how)))),
    ]
    const config = { 'tools.approval.allowlist': ['beside'] }
    const one = await granted('deny', { tools, config })
    expect(outcomes(await one.runtime.run(batchOf(['held', { word: 'one' }])))).toEqual(['ok'])
    const results = await one.runtime.run(batchOf(['held', { word: 'two' }], ['beside']))
    const content = readFileSync(join(one.b.root, 'held'), 'utf8')
    expect(existsSync(join(one.b.root, 'beside'))).toBe(true)
    expect([...outcomes(results), content]).toEqual(
      how === null ? ['ok', 'ok', 'two'] : ['approval_denied', 'ok', 'one'],
    )
    if (how !== null) expect(errorOf(results[0]).message).toContain('no longer counts')
    expect(one.questions.length).toBe(1)
  })
})
