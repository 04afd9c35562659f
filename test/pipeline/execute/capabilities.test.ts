import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAPABILITIES } from '../../../src/core/capability.ts'
import type { Capability } from '../../../src/core/capability.ts'
import type { Edits, Spawn } from '../../../src/core/powers.ts'
import type { PowersOf, Tool } from '../../../src/core/tool.ts'
import { judgeCapabilities } from '../../../src/policy/capabilities/capability-gate.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { agreeing, batchOf, editor, outsider, reader, waysOf } from '../sample-tools.ts'
import { bytes, settledOf } from './staging-tools.ts'

const granting = (...granted: readonly string[]) => ({ 'tools.capabilities.granted': granted })

async function whyOf(runtime: Runtime, execution: string) {
  const [found] = runtime.why(execution)
  if (found === undefined) throw new Error('nothing is known of it')
  return found
}

describe('before a call runs', () => {
  it('RULE 2, R-T-004: a tool whose capabilities are granted runs, and one that lacks any is denied before it begins', async () => {
    const b = bench({ 'a.txt': 'one' })
    const config = granting('filesystem.read')
    expect(outputOf(await b.call('read_file', { path: 'a.txt' }, { config }))).toMatchObject({
      content: 'one',
    })
    let hasRun = false
    const tool = editor('writes', () => {
      hasRun = true
      return { said: '' }
    })
    const approve = agreeing()
    const runtime = await b.open({ config, tools: [tool], approve })
    const [denied] = await runtime.run(batchOf(['writes']))
    expect(errorOf(denied)).toMatchObject({
      code: 'capability_denied',
      class: 'AuthorizationError',
      type: 'permission-error',
      kind: null,
      state: 'DENIED',
      message:
        'writes needs capabilities that are not granted: filesystem.write (create and change files), filesystem.delete (delete and move files).',
      details: { missing: ['filesystem.write', 'filesystem.delete'], granted: ['filesystem.read'] },
    })
    expect(errorOf(denied).recovery.join()).toContain(
      'add "filesystem.write", "filesystem.delete" to tools.capabilities.granted',
    )
    expect(hasRun).toBe(false)
    expect(approve.questions).toEqual([])
    expect(waysOf(runtime).get('c1')).toEqual(['DECLARED', 'VALIDATED', 'DENIED'])
  })

  it('what a capability cannot be had without must be granted as well', async () => {
    const b = bench()
    const tools = [outsider('kills', () => ({ said: '' }), { capabilities: ['process.signal'] })]
    const run = async (...granted: readonly string[]) =>
      b.call('kills', {}, { tools, config: granting(...granted), approve: agreeing() })
    const short = errorOf(await run('process.signal', 'process.spawn'))
    expect(short.details).toMatchObject({
      missing: ['filesystem.read', 'filesystem.execute'],
      needed_by: { 'filesystem.execute': 'process.signal' },
    })
    expect((await run('process.*', 'filesystem.read', 'filesystem.execute')).ok).toBe(true)
  })

  it('R-CHK-RT-2: bad arguments are told before capabilities, and capabilities before anybody is asked', async () => {
    const b = bench()
    const approve = agreeing()
    const config = granting()
    expect(errorOf(await b.call('write_file', { path: 7 }, { config, approve })).code).toBe('bad_args')
    const args = { path: 'new.txt', content: 'x' }
    expect(errorOf(await b.call('write_file', args, { config, approve })).code).toBe('capability_denied')
    expect(approve.questions).toEqual([])
    expect(existsSync(join(b.root, 'new.txt'))).toBe(false)
  })

  it('a profile grants by default: strict lets nothing reach the network, agent nothing be reached', async () => {
    const b = bench()
    const tools = [
      outsider('connects', () => ({ said: '' })),
      outsider('listens', () => ({ said: '' }), { capabilities: ['network.listen'] }),
    ]
    const approve = agreeing()
    expect((await b.call('connects', {}, { tools, approve })).ok).toBe(true)
    expect(errorOf(await b.call('listens', {}, { tools, approve })).details['missing']).toEqual([
      'network.listen',
    ])
    const strict = await b.call('connects', {}, { tools, approve, profile: 'strict' })
    expect(errorOf(strict).code).toBe('capability_denied')
  })

  it('why names the gate and the fact, for a call that passed and for one that did not', async () => {
    const b = bench({ 'a.txt': '' })
    const runtime = await b.open({ config: granting('filesystem.read') })
    const [read, write] = await runtime.run(
      batchOf(['read_file', { path: 'a.txt' }], ['write_file', { path: 'b.txt', content: '' }]),
    )
    const passed = await whyOf(runtime, read?.execution.id ?? '')
    expect(passed.gates).toContainEqual({
      gate: 'capabilities',
      fact: 'granted: filesystem.read',
      verdict: 'pass',
    })
    expect(await whyOf(runtime, write?.execution.id ?? '')).toMatchObject({
      verdict: 'denied',
      gate: 'capabilities',
      gates: expect.arrayContaining([
        { gate: 'capabilities', fact: 'not granted: filesystem.write', verdict: 'deny' },
      ]),
    })
  })
})

/** An editing tool that declared less than it does. */
function sneak(name: string, capabilities: readonly Capability[], reach: (edits: Edits) => void): Tool {
  return editor(
    name,
    (_args, { edits }) => {
      reach(edits)
      return { said: 'done' }
    },
    { capabilities },
  )
}

describe('while a call runs', () => {
  it('RULE 7, R-CONTRACT-4: a tool that reaches for what it did not declare is stopped, rolled back and audited', async () => {
    const b = bench({ 'a.txt': 'one', 'b.txt': 'two' })
    const tool = sneak('sneaks', ['filesystem.read', 'filesystem.write'], (edits) => {
      edits.write('new.txt', bytes('x'))
      edits.remove('a.txt')
    })
    const runtime = await b.open({ tools: [tool], config: { 'tools.approval.mode': 'auto' } })
    const [result] = await runtime.run(batchOf(['sneaks']))
    expect(errorOf(result)).toMatchObject({
      code: 'capability_denied',
      class: 'AuthorizationError',
      state: 'ROLLED_BACK',
      message:
        'sneaks tried to delete and move files without declaring filesystem.delete, so it was stopped.',
      details: { reached_for: 'filesystem.delete', declared: ['filesystem.read', 'filesystem.write'] },
    })
    expect(existsSync(join(b.root, 'new.txt'))).toBe(false)
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('one')
    const last = [...runtime.audit()].at(-1)
    expect(last).toMatchObject({ state: 'ROLLED_BACK', error: { code: 'capability_denied' } })
    expect(runtime.stats().capability_denials).toBe(1)
  })

  it('RULE 7: a tool that swallows the refusal is stopped all the same, and keeps nothing', async () => {
    const b = bench({ 'a.txt': 'one' })
    const tool = sneak('swallows', ['filesystem.read', 'filesystem.write'], (edits) => {
      edits.write('new.txt', bytes('x'))
      try {
        edits.remove('a.txt')
      } catch {
        edits.write('other.txt', bytes('y'))
      }
    })
    const runtime = await b.open({ tools: [tool], config: { 'tools.approval.mode': 'auto' } })
    const [result] = await runtime.run(batchOf(['swallows']))
    expect(errorOf(result)).toMatchObject({ code: 'capability_denied', state: 'ROLLED_BACK' })
    expect(existsSync(join(b.root, 'new.txt'))).toBe(false)
    expect(existsSync(join(b.root, 'other.txt'))).toBe(false)
    expect(settledOf(runtime)[0]?.changes).toEqual([])
  })

  it('a tool that fails with words of its own after the refusal has failed with the refusal', async () => {
    const tool = sneak('blames', ['filesystem.read'], (edits) => {
      try {
        edits.write('a.txt', bytes(''))
      } catch {
        throw new Error('the weather')
      }
    })
    const result = await bench().call(
      'blames',
      {},
      { tools: [tool], config: { 'tools.approval.mode': 'auto' } },
    )
    expect(errorOf(result)).toMatchObject({
      code: 'capability_denied',
      details: { reached_for: 'filesystem.write' },
    })
  })

  it('a tool that answers with a trap after the refusal has failed with the refusal, and is heard no more', async () => {
    let speak = (): void => undefined
    const trap = new Proxy(
      {},
      {
        has() {
          throw new Error('the weather')
        },
      },
    )
    const reaching = (_args: unknown, { edits, emit }: PowersOf['edit']): unknown => {
      speak = () => emit('stdout', 'late')
      try {
        edits.write('a.txt', bytes(''))
      } catch {
        return trap
      }
      return { said: 'done' }
    }
    const tool = editor('traps', reaching, { capabilities: ['filesystem.read'] })
    const runtime = await bench().open({ tools: [tool], config: { 'tools.approval.mode': 'auto' } })
    const events: string[] = []
    const [result] = await runtime.run(batchOf(['traps']), { onEvent: ({ event }) => events.push(event) })
    expect(errorOf(result)).toMatchObject({ code: 'capability_denied', state: 'ROLLED_BACK' })
    speak()
    expect(events).not.toContain('output')
  })

  it('nobody is asked about a call whose rehearsal already reaches too far', async () => {
    const approve = agreeing()
    const tool = sneak('rehearses', ['filesystem.read'], (edits) => edits.write('a.txt', bytes('')))
    const result = await bench().call('rehearses', {}, { tools: [tool], approve })
    expect(errorOf(result).code).toBe('capability_denied')
    expect(approve.questions).toEqual([])
  })

  const REACHES: readonly (readonly [
    Capability,
    readonly Capability[],
    (powers: PowersOf['read'] & { edits: Edits; spawn: Spawn }) => unknown,
  ])[] = [
    ['filesystem.read', [], ({ files }) => files.stat('a.txt')],
    ['filesystem.read', ['state.write'], ({ files }) => files.open('a.txt')],
    ['filesystem.read', [], ({ files }) => files.walk('.', () => 'stop')],
    ['filesystem.read', [], ({ files }) => files.startWalk('.')],
    ['filesystem.read', [], ({ files }) => files.follow('a.txt')],
    ['filesystem.read', [], ({ files }) => files.peek('a.txt', 10)],
    ['filesystem.read', [], async ({ files }) => files.search({} as never, {} as never)],
    ['filesystem.write', ['filesystem.read'], ({ edits }) => edits.write('a.txt', bytes(''))],
    ['filesystem.write', ['filesystem.read'], ({ edits }) => edits.stat('a.txt')],
    ['filesystem.delete', ['filesystem.read'], ({ edits }) => edits.remove('a.txt')],
    ['process.spawn', ['filesystem.read'], async ({ spawn }) => spawn.run({ argv: ['true'], timeoutMs: 9 })],
    ['state.read', ['filesystem.read'], ({ store }) => store.read('k')],
    ['state.write', ['state.read'], ({ store }) => store.write('k', 1)],
    ['system.time', ['filesystem.read'], ({ now }) => now()],
  ]

  it.for(REACHES.map((row, index) => [index, ...row] as const))(
    'R-CHK-INT-4: power %i, %s, is out of reach of a tool that declared %j, and within it once declared',
    async ([, wanted, declared, reach]) => {
      const b = bench({ 'a.txt': 'one' })
      const make = (capabilities: readonly Capability[]) =>
        reader(
          'reaches',
          async (_args, powers) => {
            try {
              await reach(powers as PowersOf['read'] & { edits: Edits; spawn: Spawn })
            } catch {
              // A tool that does not want it known.
            }
            return { said: '' }
          },
          { capabilities },
        )
      const stopped = errorOf(await b.call('reaches', {}, { tools: [make(declared)] }))
      expect(stopped).toMatchObject({
        code: 'capability_denied',
        state: 'ROLLED_BACK',
        details: { reached_for: wanted },
      })
      const free = await b.call('reaches', {}, { tools: [make([...declared, wanted])] })
      expect(free.ok).toBe(true)
    },
  )

  it('R-FAIL-AuthorizationError: what is refused for a capability is refused at once and not tried again', async () => {
    let runs = 0
    const tool = reader(
      'tries',
      (_args, { store }) => {
        runs += 1
        return { said: String(store.read('k')) }
      },
      { capabilities: ['filesystem.read'], idempotent: true },
    )
    const denied = outsider('wants', () => ({ said: String((runs += 1)) }), {
      capabilities: ['network.listen'],
      idempotent: true,
    })
    const runtime = await bench().open({ tools: [tool, denied], approve: agreeing() })
    const rows = await runtime.run(batchOf(['tries'], ['wants']))
    expect(rows.map((row) => errorOf(row).state)).toEqual(['ROLLED_BACK', 'DENIED'])
    expect(runs).toBe(1)
  })

  it('two calls of one tool at the same time do not answer for each other', async () => {
    const tool = reader(
      'either',
      async ({ word }, { store }) => {
        await new Promise((done) => setTimeout(done, 5))
        if (word === 'bad') {
          try {
            store.read('k')
          } catch {
            return { said: 'hidden' }
          }
        }
        return { said: 'good' }
      },
      { capabilities: ['filesystem.read'] },
    )
    const runtime = await bench().open({ tools: [tool] })
    const rows = await runtime.run(
      batchOf(['either', { word: 'good' }], ['either', { word: 'bad' }], ['either', { word: 'good' }]),
    )
    expect(rows.map(({ ok }) => ok)).toEqual([true, false, true])
  })

  it('nothing that a tool is handed leads to what it was not handed', async () => {
    const found: unknown[] = []
    const tool = reader('digs', (_args, powers) => {
      const made = Reflect.ownKeys(Object(Reflect.getPrototypeOf(powers)) as object)
      for (const key of [...Reflect.ownKeys(powers), ...made.filter((name) => name !== 'edits')])
        found.push(Reflect.get(powers, key))
      return { said: '' }
    })
    await bench().call('digs', {}, { tools: [tool] })
    const names = found.flatMap((value) => (Object(value) === value ? Reflect.ownKeys(value as object) : []))
    for (const name of ['transaction', 'boundary', 'shell', 'edits', 'prepare'])
      expect(names).not.toContain(name)
  })

  it('a copy of the powers carries no trap that springs when it is made', async () => {
    const tool = reader('copies', (_args, powers) => ({ said: Object.keys({ ...powers }).join() }))
    const { said } = outputOf(await bench().call('copies', {}, { tools: [tool] })) as { said: string }
    expect(said.split(',')).not.toContain('edits')
  })
})

describe('what is on record', () => {
  it('R-LC-AUTHORIZED, R-AUD-capabilities: the audit trail has what was granted from AUTHORIZED on, prerequisites included, and nothing for a denied call', async () => {
    const b = bench()
    const tools = [outsider('signals', () => ({ said: '' }), { capabilities: ['process.signal'] })]
    const runtime = await b.open({ tools, approve: agreeing(), config: { 'tools.approval.mode': 'auto' } })
    await runtime.run(batchOf(['signals']))
    const granted = ['filesystem.read', 'filesystem.execute', 'process.spawn', 'process.signal']
    expect([...runtime.audit()].map(({ state, capabilities }) => [state, capabilities])).toEqual([
      ['DECLARED', []],
      ['VALIDATED', []],
      ['AUTHORIZED', granted],
      ['EXECUTING', granted],
      ['COMPLETED', granted],
    ])
    const strict = await bench().open({ tools, config: granting('filesystem.read') })
    await strict.run(batchOf(['signals']))
    for (const { capabilities } of strict.audit()) expect(capabilities).toEqual([])
    expect(settledOf(strict)[0]?.capabilities).toEqual([])
  })

  it('R-TEL-6: denials are counted, those before a call runs and those while it does, and no other refusal', async () => {
    const b = bench()
    const tools = [
      reader('peeks', (_args, { store }) => ({ said: String(store.read('k')) }), {
        capabilities: ['filesystem.read'],
      }),
    ]
    const config = { ...granting('filesystem.read'), 'tools.approval.denylist': ['run_command', 'glob'] }
    const runtime = await b.open({ tools, config })
    const args = { path: 'a.txt', content: '' }
    await runtime.run(batchOf(['write_file', args], ['peeks'], ['glob', { patterns: ['*'] }], ['nope']))
    expect(runtime.stats()).toMatchObject({ capability_denials: 2, denied: 2, rolled_back: 1 })
  })
})

describe('laws', () => {
  it('taking a capability away from the configuration never allows more', () => {
    const words = fc.subarray([...CAPABILITIES, 'filesystem.*', 'state.*', 'network.*'])
    const law = fc.property(fc.subarray([...CAPABILITIES]), words, fc.nat(), (declared, granted, at) => {
      const fewer = granted.filter((_word, index) => index !== at % Math.max(1, granted.length))
      const before = judgeCapabilities('t', declared, granted)
      const after = judgeCapabilities('t', declared, fewer)
      if (after.ok) expect(before).toEqual(after)
    })
    fc.assert(law)
  })
})
