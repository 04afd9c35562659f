import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seal } from '../../../src/host/system/hash.ts'
import { readKey } from '../../../src/journal/chain/anchor-file.ts'
import type { AskedEntry } from '../../../src/journal/entries/entry.ts'
import { openAnswerInbox } from '../../../src/runtime/approvals/answer-inbox.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { inAnother, leave, write, yes } from '../../pipeline/approve/waiting-bench.ts'
import { batchOf, outcomes, writer } from '../../pipeline/sample-tools.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { killedWhileOpen } from './killed.ts'
import { readOffer, rehash, rewriteAsked, rewriteBatch, tamper } from './tamper.ts'
import type { Store } from './tamper.ts'

const no = { isApproved: false }
const HARMLESS = '--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+Just a readme.\n'

/** Changes one field of what the first question offers. */
function forgeOffer(b: Bench, field: string, value: unknown) {
  return (asked: AskedEntry, store: Store): AskedEntry => {
    const [first, ...others] = asked.questions
    if (first === undefined) return asked
    const offer = store(JSON.stringify({ ...readOffer(b, first.offer ?? ''), [field]: value }))
    return { ...asked, questions: [{ ...first, offer }, ...others] }
  }
}

/** Changes a field of the first question itself. */
function forgeField(field: string, value: (store: Store) => unknown) {
  return (asked: AskedEntry, store: Store): AskedEntry => {
    const [first, ...others] = asked.questions
    return first === undefined
      ? asked
      : { ...asked, questions: [{ ...first, [field]: value(store) }, ...others] }
  }
}

const FORGERIES: readonly (readonly [string, (b: Bench) => void])[] = [
  ['the words', (b) => rewriteAsked(b, forgeOffer(b, 'summary', 'Write README.md (14 bytes)'))],
  ['the danger', (b) => rewriteAsked(b, forgeOffer(b, 'danger', 'none at all'))],
  [
    'the scopes',
    (b) => rewriteAsked(b, forgeOffer(b, 'scopes', [{ scope: { kind: 'tool' }, sentence: 'x' }])),
  ],
  [
    'the diff',
    (b) =>
      rewriteAsked(
        b,
        forgeField('diff', (store) => store(HARMLESS)),
      ),
  ],
  [
    'the risk',
    (b) =>
      rewriteAsked(
        b,
        forgeField('risk', () => 'High'),
      ),
  ],
  [
    'the note beside it',
    (b) =>
      rewriteAsked(
        b,
        forgeField('note', () => 'All is well.'),
      ),
  ],
  [
    'no words at all',
    (b) =>
      rewriteAsked(
        b,
        forgeField('summary', () => ''),
      ),
  ],
  [
    'the summary beside it',
    (b) =>
      rewriteAsked(
        b,
        forgeField('summary', () => 'Write README.md'),
      ),
  ],
  [
    'what it binds',
    (b) =>
      rewriteAsked(
        b,
        forgeField('binding', () => '0'.repeat(64)),
      ),
  ],
  ['the time it ends', (b) => rewriteAsked(b, (asked) => ({ ...asked, expiresAt: asked.expiresAt + 1 }))],
  [
    'the arguments of the call',
    (b) =>
      rewriteBatch(b, (batch, store) => ({
        ...batch,
        calls: batch.calls.map((call) => ({ ...call, args: store('{"path":"README.md","word":"x"}') })),
      })),
  ],
  [
    'arguments that are no JSON',
    (b) =>
      rewriteBatch(b, (batch, store) => ({
        ...batch,
        calls: batch.calls.map((call) => ({ ...call, args: store('{') })),
      })),
  ],
  [
    'the name of the call',
    (b) =>
      rewriteBatch(b, (batch) => ({
        ...batch,
        calls: batch.calls.map((call) => ({ ...call, name: 'echo' })),
      })),
  ],
  [
    'the folder of the call',
    (b) =>
      rewriteBatch(b, (batch) => ({
        ...batch,
        calls: batch.calls.map((call) => ({ ...call, meta: { cwd: 'elsewhere' } })),
      })),
  ],
  ['who asks', (b) => rewriteBatch(b, (batch) => ({ ...batch, origin: 'runtime' }))],
  [
    'words that are no JSON',
    (b) =>
      rewriteAsked(
        b,
        forgeField('offer', (store) => store('{')),
      ),
  ],
]

describe('a question that another program rewrote, in a session whose process was killed', () => {
  it('cannot be approved if a call beside it, which is not asked about, was changed', async () => {
    const b = bench()
    await killedWhileOpen(b, () => leave(b, batchOf(write('a'), ['echo', { word: 'mine' }])))
    rewriteBatch(b, (batch, store) => ({
      ...batch,
      calls: batch.calls.map((call) =>
        call.name === 'echo' ? { ...call, args: store('{"word":"theirs"}') } : call,
      ),
    }))
    const { faults, results } = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(faults).toMatchObject([{ why: expect.stringContaining('its seal is not valid') as string }])
    expect(results).toEqual([])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it.each(FORGERIES)('cannot be approved with %s changed, and is shown as damaged', async (_what, forge) => {
    const b = bench()
    const [asked] = await killedWhileOpen(b, () => leave(b, batchOf(write('a'))))
    forge(b)
    const id = asked?.id ?? ''
    const [shown] = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).toMatchObject({ id, diff: null, scopes: [], damaged: expect.stringContaining('seal') })
    expect(JSON.stringify([shown?.summary, shown?.note, shown?.why])).not.toMatch(/README|well|none at all/)
    const decided = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(decided.faults).toMatchObject([{ id, why: expect.stringMatching(/seal.*Deny it/) }])
    expect(readdirSync(b.root)).toEqual([])
  })

  it('makes no grant from scopes that were not offered', async () => {
    const b = bench()
    await killedWhileOpen(b, () => leave(b, batchOf(write('a'))))
    rewriteAsked(b, forgeOffer(b, 'scopes', [{ scope: { kind: 'tool' }, sentence: 'x' }]))
    await inAnother(b, {}, (runtime) => runtime.decide('all', { ...yes, scope: { kind: 'tool' } }))
    expect((await inAnother(b, {}, async (runtime) => runtime.grants())).grants).toEqual([])
  })

  it('can be denied, and then nothing of its batch runs, whatever it was said to be', async () => {
    const b = bench()
    const [asked] = await killedWhileOpen(b, () => leave(b, batchOf(write('a'), ['echo'])))
    rewriteAsked(b, forgeOffer(b, 'summary', 'Read a'))
    const done = await inAnother(b, {}, (runtime) => runtime.decide([asked?.id ?? ''], no))
    expect(done.faults).toEqual([])
    expect(outcomes(done.results)).toEqual(['approval_denied', 'approval_denied'])
    expect(done.results[1]).toMatchObject({ error: { details: { reason: 'damaged' } } })
    expect(await inAnother(b, {}, (runtime) => runtime.pending())).toEqual([])
  })

  it('control: a denied question that nobody changed lets the other calls run', async () => {
    const b = bench()
    const [asked] = await killedWhileOpen(b, () => leave(b, batchOf(write('a'), ['echo'])))
    const done = await inAnother(b, {}, (runtime) => runtime.decide([asked?.id ?? ''], no))
    expect(outcomes(done.results)).toEqual(['approval_denied', 'ok'])
  })

  it('control: runs as it was asked if nobody changed it', async () => {
    const b = bench()
    await killedWhileOpen(b, () => leave(b, batchOf(write('a'))))
    const [shown] = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).not.toHaveProperty('damaged')
    expect(shown?.diff).toContain('+a')
    const done = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(done.results)).toEqual(['ok'])
    expect(existsSync(join(b.root, 'a'))).toBe(true)
  })
})

describe('a question without a seal, as earlier versions stored it', () => {
  const strip = ({ seal: _seal, ...asked }: AskedEntry): AskedEntry => asked

  it('is asked anew rather than approved', async () => {
    const b = bench()
    const [asked] = await killedWhileOpen(b, () => leave(b, batchOf(write('a'))))
    rewriteAsked(b, strip)
    const id = asked?.id ?? ''
    const shown = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).toMatchObject([{ id, note: expect.stringMatching(/earlier version.*requested again/) }])
    const decided = await inAnother(b, {}, (runtime) => runtime.decide([id], yes))
    expect(decided.faults).toMatchObject([{ id, why: expect.stringContaining('no seal') }])
    await inAnother(b, {}, (runtime) => runtime.decide([id], no))
    const [again] = await leave(b, batchOf(write('a')))
    const done = await inAnother(b, {}, (runtime) => runtime.decide([again?.id ?? ''], yes))
    expect(outcomes(done.results)).toEqual(['ok'])
  })
})

describe('a question whose words are gone', () => {
  it('cannot be approved by what is left of it', async () => {
    const b = bench()
    const [asked] = await leave(b, batchOf(write('a')))
    tamper(b, (database) =>
      database.exec(
        `UPDATE log SET body = CAST('{}' AS BLOB) WHERE kind = 'payload' AND instr(CAST(body AS TEXT), '"scopes"') > 0`,
      ),
    )
    const decided = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(decided.faults).toMatchObject([{ id: asked?.id, why: expect.stringContaining('is gone') }])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })
})

describe('a question of a live process, rewritten behind its anchor', () => {
  it('is not shown as it was rewritten, and a yes to it is not left for its owner', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'full', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's' })
    const [asked] = await owner.pending()
    const words = forgeOffer(b, 'summary', 'Write README.md (14 bytes)')
    await inAnother(b, {}, (runtime) => runtime.pending())
    rewriteAsked(b, words)
    const [shown] = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).toMatchObject({ id: asked?.id, damaged: expect.stringContaining('does not verify') })
    const decided = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(decided).toMatchObject({ handed: [], faults: [{ id: asked?.id }] })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('does not come back open after its denial was removed', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'full', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a'), write('b')), { session: 's' })
    const [denied] = await owner.pending()
    await owner.decide([denied?.id ?? ''], no)
    await inAnother(b, {}, (runtime) => runtime.pending())
    tamper(b, (database) => {
      database.exec("DELETE FROM place WHERE id = (SELECT id FROM log WHERE kind = 'answered')")
      database.exec("DELETE FROM log WHERE kind = 'answered'")
      rehash(database, 1)
    })
    const shown = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown.map(({ damaged = '' }) => damaged)).toEqual(
      shown.map(() => expect.stringContaining('verify')),
    )
    expect(shown.length).toBeGreaterThan(0)
  })

  it('control: is answered elsewhere if nobody changed it', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'full', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's' })
    const [shown] = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).not.toHaveProperty('damaged')
    const decided = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(decided).toMatchObject({ handed: [shown?.id], faults: [] })
    expect(existsSync(join(b.root, 'a'))).toBe(true)
  })
})

describe('a yes that another process leaves', () => {
  /** Leaves a yes as a process with the key does, and waits until the owner has looked at it. */
  async function leaveYes(b: Bench, approval: string, asked: string | undefined): Promise<void> {
    const key = readKey(join(b.stateDir, 'key'))
    if (key === null) throw new Error('there is no key')
    const inbox = openAnswerInbox(b.stateDir, () => ({
      sealAnswer: (text) => seal(key, `tongs answer 1\n${text}`),
      noteWithdrawn: () => undefined,
      mayBeWithdrawn: () => false,
    }))
    const decision = { isApproved: true, say: null, actor: null, ...(asked === undefined ? {} : { asked }) }
    inbox.post([approval], new Map([[approval, decision]]))
    await expect.poll(() => inbox.isGone(approval), { timeout: PATIENCE_MS }).toBe(true)
  }

  /** What the newest questions of a session are sealed with. */
  function sealIn(b: Bench): Promise<string | undefined> {
    return inAnother(b, {}, async (runtime) => {
      const entries = [...runtime.peek('s').entries()].map(({ entry }) => entry)
      return entries.findLast((entry) => entry.kind === 'asked')?.seal
    })
  }

  describe.each(['is asking', 'left the question for later'])('for an owner that %s', (how) => {
    async function ask(b: Bench) {
      const asking = Promise.withResolvers<void>()
      const never = new Promise<never>(() => undefined)
      const stop = new AbortController()
      const isAsking = how === 'is asking'
      const approve = () => {
        asking.resolve()
        return never
      }
      const owner = await b.open({
        durability: 'full',
        approve: isAsking ? approve : 'later',
        tools: [writer],
      })
      const run = owner.run(batchOf(write('a')), { session: 's', signal: stop.signal })
      await (isAsking ? asking.promise : run)
      const [asked] = await inAnother(b, {}, (runtime) => runtime.pending())
      return { id: asked?.id ?? '', run, stop }
    }

    it.each([
      ['another question', '0'.repeat(64)],
      ['none', undefined],
    ])('is not taken if it names %s', async (_what, named) => {
      const b = bench()
      const { id, run, stop } = await ask(b)
      await leaveYes(b, id, named)
      expect(await inAnother(b, {}, (runtime) => runtime.pending())).toMatchObject([{ id }])
      stop.abort()
      await run
      expect(existsSync(join(b.root, 'a'))).toBe(false)
    })

    it('control: is taken if it names what was asked', async () => {
      const b = bench()
      const { id, run } = await ask(b)
      await leaveYes(b, id, await sealIn(b))
      await run
      await expect.poll(() => existsSync(join(b.root, 'a')), { timeout: PATIENCE_MS }).toBe(true)
    })
  })
})
