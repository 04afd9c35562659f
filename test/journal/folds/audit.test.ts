import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../src/core/error.ts'
import { canMove } from '../../../src/core/lifecycle.ts'
import type { AuditEvent } from '../../../src/journal/folds/audit.ts'
import type { RunOptions, Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'
import { broken, echo, simpleTool } from '../../harness/simple-tool.ts'
import { roundsOf } from '../../harness/long-run.ts'

const TOOLS = [
  echo,
  broken,
  simpleTool('refuses', () => {
    throw failure('execution_failed', 'no')
  }),
]
const DENY = { tools: { approval: { denylist: ['refuses'] } } }

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

async function auditOf(
  name: string,
  args: unknown = {},
  {
    options = {},
    run = {},
  }: { options?: Parameters<ReturnType<typeof bench>['open']>[0]; run?: RunOptions } = {},
): Promise<readonly AuditEvent[]> {
  const runtime = await bench().open({ tools: TOOLS, ...options })
  await runtime.run([{ id: 'c1', name, args }], run)
  return [...runtime.audit()]
}

const statesOf = (events: readonly AuditEvent[]): readonly string[] => events.map(({ state }) => state)

async function cancelledBeforeItRan(): Promise<readonly AuditEvent[]> {
  return auditOf('echo', {}, { run: { signal: AbortSignal.abort() } })
}

describe('the audit trail', () => {
  it('R-EX-B: a call that succeeds is declared, validated, authorized, executing and completed, in this order', async () => {
    let meanwhile: readonly string[] = []
    const runtime: Runtime = await bench().open({
      tools: [
        simpleTool('look', () => {
          meanwhile = statesOf([...runtime.audit()])
          return { said: '' }
        }),
      ],
    })
    await runtime.run([{ id: 'c1', name: 'look', args: {} }])
    expect(meanwhile).toEqual(['DECLARED'])
    expect(statesOf([...runtime.audit()])).toEqual([
      'DECLARED',
      'VALIDATED',
      'AUTHORIZED',
      'EXECUTING',
      'COMPLETED',
    ])
  })

  it.each([
    ['invalid', 'echo', { word: 5 }, ['DECLARED', 'FAILED']],
    ['unknown', 'nope', {}, ['DECLARED', 'FAILED']],
    ['denied', 'refuses', {}, ['DECLARED', 'DENIED']],
    ['broken', 'broken', {}, ['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'ROLLED_BACK']],
  ])(
    'R-EX-B: a call that is %s leaves the way where the error was met, and says which',
    async (_what, name, args, states) => {
      const events = await auditOf(name, args, { options: { config: DENY } })
      expect(statesOf(events)).toEqual(states)
      expect(events.map(({ error }) => error !== undefined)).toEqual(
        states.map((_, index) => index === states.length - 1),
      )
    },
  )

  it('R-CHK-RT-5: whatever happens to calls, each of their transitions has its event, and no other has', async () => {
    const runtime = await bench().open({ tools: TOOLS, config: DENY })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('echo', 'broken', 'refuses', 'nope'), { maxLength: 6 }),
        fc.boolean(),
        async (names, isCancelled) => {
          const seen = new Map<string, string[]>()
          const before = [...runtime.audit()].length
          const results = await runtime.run(
            names.map((name, index) => ({ id: String(index), name, args: {} })),
            {
              ...(isCancelled ? { signal: AbortSignal.abort() } : {}),
              onEvent: (event) => {
                if (event.event === 'state')
                  seen.set(event.execution, [...(seen.get(event.execution) ?? []), event.state])
              },
            },
          )
          const events = Map.groupBy([...runtime.audit()].slice(before), ({ executionId }) => executionId)
          expect(new Map([...events].map(([id, own]) => [id, statesOf(own)]))).toEqual(seen)
          expect([...events.keys()].toSorted()).toEqual(results.map(({ execution }) => execution.id))
        },
      ),
      { numRuns: roundsOf(16, 50) },
    )
  })

  it('RULE 11: a call that completes emits its tool, its time, its status and its duration', async () => {
    const events = await auditOf('echo')
    expect(events.at(-1)).toMatchObject({
      toolId: 'echo',
      timestamp: expect.any(Number),
      state: 'COMPLETED',
      duration: expect.any(Number),
    })
  })
})

describe('the fields of an audit event', () => {
  it('R-AUD-eventId: no two events share an id, also over sessions and processes, and reading again gives the same', async () => {
    const b = bench()
    const ids: string[] = []
    for (const session of ['a', 'b', 'a']) {
      const runtime = await b.open({ tools: TOOLS, durability: 'normal' })
      await runtime.run([{ id: 'same', name: 'echo', args: {} }], { session })
      const now = [...runtime.audit()].map(({ eventId }) => eventId)
      expect(now).toEqual(expect.arrayContaining(ids))
      ids.splice(0, ids.length, ...now)
      await runtime.close()
    }
    expect(ids).toHaveLength(15)
    expect(new Set(ids).size).toBe(15)
  })

  it('R-AUD-timestamp: it is the time of the transition, in milliseconds since the epoch', async () => {
    let now = 1_700_000_000_000
    const slow = simpleTool('slow', () => {
      now += 4000
      return { said: '' }
    })
    const clock = { now: () => (now += 1), elapsed: () => now }
    const events = await auditOf('slow', {}, { options: { tools: [slow], clock } })
    const times = events.map(({ timestamp }) => timestamp)
    expect(times[0]).toBeGreaterThan(1_700_000_000_000)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const [executing = 0, completed = 0] = times.slice(-2)
    expect(executing).toBeLessThan(1_700_000_001_000)
    expect(completed - executing).toBeGreaterThanOrEqual(4000)
  })

  it('R-AUD-toolId: it is the name that was called, also where no tool has it', async () => {
    expect(new Set((await auditOf('echo')).map(({ toolId }) => toolId))).toEqual(new Set(['echo']))
    expect(new Set((await auditOf('nope')).map(({ toolId }) => toolId))).toEqual(new Set(['nope']))
  })

  it('R-AUD-toolVersion: every event has the version of the tool, the first one too, and none where there is no tool', async () => {
    expect((await auditOf('echo')).map(({ toolVersion }) => toolVersion)).toEqual(Array(5).fill('1.2.3'))
    expect((await auditOf('nope')).map(({ toolVersion }) => toolVersion)).toEqual(['', ''])
  })

  it('R-AUD-executionId: it tells calls apart that carry the same label, and is the one in their results', async () => {
    const runtime = await bench().open({ tools: TOOLS })
    const ids: string[] = []
    for (const word of ['a', 'b']) {
      const [result] = await runtime.run([{ id: 'same', name: 'echo', args: { word } }])
      ids.push(result?.execution.id ?? '')
    }
    expect(ids[0]).not.toBe(ids[1])
    expect([...runtime.audit()].map(({ executionId }) => executionId)).toEqual([
      ...Array(5).fill(ids[0]),
      ...Array(5).fill(ids[1]),
    ])
  })

  it.each(['echo', 'broken', 'nope', 'refuses'])(
    'R-AUD-state: from one event of %s to the next is a legal move, and the last is the state in its result',
    async (name) => {
      const runtime = await bench().open({ tools: TOOLS, config: DENY })
      const [result] = await runtime.run([{ id: 'c', name, args: {} }])
      const states = [...runtime.audit()].map(({ state }) => state)
      for (const [index, state] of states.slice(1).entries())
        expect(canMove(states[index] ?? 'COMPLETED', state)).toBe(true)
      expect(states.at(-1)).toBe(result?.execution.state)
    },
  )

  it('R-AUD-userId: every event names the actor, and no event does where nobody was named', async () => {
    const actor = { id: 'ada', tenant: 'engines' }
    for (const event of await auditOf('broken', {}, { run: { actor } }))
      expect(event).toMatchObject({ userId: 'ada', actor })
    const standing = await auditOf('echo', {}, { options: { actor: { id: 'grace' } } })
    expect(standing.map(({ userId }) => userId)).toEqual(Array(5).fill('grace'))
    for (const event of await auditOf('echo')) {
      expect(event).not.toHaveProperty('userId')
      expect(event).not.toHaveProperty('actor')
    }
  })

  it('R-AUD-duration: the last event says how long the call ran, and the others say nothing', async () => {
    let elapsed = 0
    const slow = simpleTool('slow', () => {
      elapsed += 40
      return { said: '' }
    })
    const clock = { now: () => 1, elapsed: () => elapsed }
    const events = await auditOf('slow', {}, { options: { tools: [slow], clock } })
    expect(events.map(({ duration }) => duration)).toEqual([undefined, undefined, undefined, undefined, 40])
  })

  it('R-AUD-error: it has the code, the class and the gate that decided', async () => {
    const [, failed] = await auditOf('nope')
    expect(failed?.error).toEqual({
      code: 'unknown_tool',
      class: 'ValidationError',
      gate: 'lookup',
      reason: 'no such tool',
    })
    const denied = await auditOf('refuses', {}, { options: { config: DENY } })
    expect(denied.at(-1)?.error).toMatchObject({
      code: 'denylisted',
      class: 'AuthorizationError',
      gate: 'denylist',
      reason: expect.stringContaining('tools.approval.denylist'),
    })
    expect((await auditOf('broken')).at(-1)?.error).toEqual({ code: 'crashed', class: 'ExecutionError' })
    for (const event of await auditOf('echo')) expect(event).not.toHaveProperty('error')
  })

  it('R-AUD-error: an abort has its reason as well as the rollback that follows it', async () => {
    const events = await cancelledBeforeItRan()
    expect(statesOf(events).slice(-2)).toEqual(['ABORTED', 'ROLLED_BACK'])
    for (const event of events.slice(-2)) expect(event.error?.code).toBe('cancelled')
  })

  it('R-AUD-inputHash: it is the SHA-256 of the arguments with their keys in order, on every event', async () => {
    const expected = sha256('{"a":{"b":1,"c":[true,null]},"word":"é"}')
    for (const args of [
      { word: 'é', a: { c: [true, null], b: 1 } },
      { a: { b: 1, c: [true, null] }, word: 'é', request_heartbeat: true },
    ])
      expect(new Set((await auditOf('echo', args)).map(({ inputHash }) => inputHash))).toEqual(
        new Set([expected]),
      )
  })

  it('R-AUD-outputHash: it is the SHA-256 of what the tool returned, and only a call that completed has one', async () => {
    const events = await auditOf('echo', { word: 'hi' })
    expect(events.map(({ outputHash }) => outputHash)).toEqual([
      ...Array(4).fill(undefined),
      sha256('{"said":"hi"}'),
    ])
    for (const event of await auditOf('broken')) expect(event).not.toHaveProperty('outputHash')
  })

  it('what a call is handed stands in its events from its authorisation on, and nowhere without one', async () => {
    const granted = (await auditOf('echo')).map(({ capabilities }) => capabilities)
    expect(granted.map((list) => list.join())).toEqual(['', '', ...Array(3).fill('filesystem.read')])
    for (const { capabilities } of await cancelledBeforeItRan()) expect(capabilities).toEqual([])
  })
})

describe('the events of a call that is not over', () => {
  const ask = simpleTool('ask', () => ({ said: '' }), { effect: 'edit', requiresApproval: true })

  it('R-EX-B: a call that waits for an answer is validated since its question, also after the answer', async () => {
    let now = 1_700_000_000_000
    const clock = { now: () => now, elapsed: () => now }
    const b = bench()
    const options = { tools: [ask], clock, durability: 'normal' } as const
    const asking = await b.open({ ...options, approve: 'later' })
    await asking.run([{ id: 'c1', name: 'ask', args: {} }])
    const waiting = [...asking.audit()]
    expect(statesOf(waiting)).toEqual(['DECLARED', 'VALIDATED'])
    await asking.close()
    now += 86_400_000
    const answering = await b.open(options)
    await answering.decide('all', { isApproved: true })
    const done = [...answering.audit()]
    expect(statesOf(done)).toEqual(['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', 'COMPLETED'])
    expect(done.slice(0, 2)).toEqual(waiting)
    expect(done.map(({ timestamp }) => timestamp - now)).toEqual([-86_400_000, -86_400_000, 0, 0, 0])
    expect(new Set(done.map(({ eventId }) => eventId)).size).toBe(5)
  })

  it('R-EX-B: a denied one has its denial at the time of the answer', async () => {
    const b = bench()
    const runtime = await b.open({ tools: [ask], approve: 'later' })
    await runtime.run([{ id: 'c1', name: 'ask', args: {} }])
    await runtime.decide('all', { isApproved: false })
    expect(statesOf([...runtime.audit()])).toEqual(['DECLARED', 'VALIDATED', 'DENIED'])
  })

  it('R-EX-B: a process or an external call that runs is executing, with what it was handed and who agreed', async () => {
    let meanwhile: readonly AuditEvent[] = []
    const outside = simpleTool(
      'outside',
      () => {
        meanwhile = [...runtime.audit()]
        return { said: '' }
      },
      { effect: 'external', capabilities: ['network.connect'] },
    )
    const runtime: Runtime = await bench().open({ tools: [outside], approve: (all) => all.map(() => 'once') })
    await runtime.run([{ id: 'c1', name: 'outside', args: {} }])
    expect(statesOf(meanwhile)).toEqual(['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING'])
    for (const event of meanwhile.slice(2)) expect(event).toMatchObject({ consent: { by: 'answer' } })
    expect(meanwhile.at(-1)?.capabilities.length).toBeGreaterThan(0)
    const done = [...runtime.audit()]
    expect(done.slice(0, 4)).toEqual(meanwhile)
    expect(done).toHaveLength(5)
  })

  it('R-EX-B: a held call is validated', async () => {
    const runtime = await bench().open({ tools: TOOLS, config: { tools: { mode: 'parse_only' } } })
    await runtime.run([{ id: 'c1', name: 'echo', args: {} }], { origin: 'model' })
    expect(statesOf([...runtime.audit()])).toEqual(['DECLARED', 'VALIDATED'])
  })
})
