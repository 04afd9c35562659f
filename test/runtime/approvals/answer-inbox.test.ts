import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/core/approval.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { seal, sealKey } from '../../../src/host/system/hash.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import { readKey } from '../../../src/journal/chain/anchor-file.ts'
import { sessionId } from '../../../src/journal/chain/chain.ts'
import { GRANT_CHAIN } from '../../../src/journal/grants/grant-chain.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import { stateFiles } from '../../../src/journal/store/state-files.ts'
import { waitingRow } from '../../../src/pipeline/approve/notices.ts'
import { DRAINING } from '../../../src/pipeline/approve/wait.ts'
import { createLateAnswers } from '../../../src/runtime/approvals/late-answers.ts'
import { openAnswerInbox as openInbox } from '../../../src/runtime/approvals/answer-inbox.ts'
import type { AnswerInboxFolder } from '../../../src/runtime/approvals/answer-inbox.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { batchOf, echo, editor, outcomes, writer } from '../../pipeline/sample-tools.ts'
import { inAnother, leave, write, yes } from '../../pipeline/approve/waiting-bench.ts'

const YES: Decision = { isApproved: true, say: null, actor: null }
const READ = [['read_file', { path: 'a.txt' }]] as const
const QUICK = { config: { 'tools.session_wait_seconds': 0.2 } }

/** Opens the inbox with the key of the state folder, or with one of our own where there is none. */
function openAnswerInbox(stateDir: string): AnswerInboxFolder {
  const key = readKey(join(stateDir, 'key')) ?? sealKey(new Uint8Array(32))
  return openInbox(stateDir, () => ({
    sealAnswer: (text) => seal(key, `tongs answer 1\n${text}`),
    noteWithdrawn: () => undefined,
    mayBeWithdrawn: () => false,
  }))
}

/** Leaves a yes for each of these questions. */
function post(box: AnswerInboxFolder, ...approvals: readonly string[]): void {
  box.post(approvals, new Map(approvals.map((approval) => [approval, YES])))
}

/** The answers that lie in a state folder, waiting or taken. */
function answersIn(stateDir: string): readonly string[] {
  const folder = join(stateDir, 'mailbox')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** A process that owns the session of a waiting call and takes no answers for it. */
async function openDeaf(b: Bench) {
  const owner = await b.open({ durability: 'normal', tools: [echo] })
  await owner.run(batchOf(['echo']), { session: 's' })
  return owner
}

describe('an answer left for another process', () => {
  it('is taken by one only, and is gone once it is written down', () => {
    const { path } = makeScratch()
    const [giver, taker, other] = [openAnswerInbox(path), openAnswerInbox(path), openAnswerInbox(path)]
    post(giver, 'one')
    expect(giver.isGone('one')).toBe(false)
    expect([taker.take('one'), other.take('one'), taker.take('one')]).toEqual([YES, null, null])
    // The giver takes its absence for a promise that it is on record.
    expect(giver.isGone('one')).toBe(false)
    taker.drop('one')
    expect([giver.isGone('one'), answersIn(path)]).toEqual([true, []])
  })

  it('that is taken back is never taken by another process, and nothing of it stays', () => {
    const { path } = makeScratch()
    const [giver, taker] = [openAnswerInbox(path), openAnswerInbox(path)]
    post(giver, 'one', 'two')
    expect(giver.withdraw(['one', 'two'])).toBe(true)
    expect([taker.take('one'), taker.take('two'), answersIn(path)]).toEqual([null, null, []])
  })

  it('that is taken back counts no more if another program puts it there again, and one given anew does', () => {
    const { path } = makeScratch()
    const store = openStore({ stateDir: path, durability: 'full', clock: systemClock })
    const [giver, taker] = [1, 2].map(() => openInbox(path, () => store.grants))
    if (giver === undefined || taker === undefined) throw new Error('there are two')
    const posted = join(path, 'mailbox', 'one.json')
    post(giver, 'one')
    const then = readFileSync(posted)
    expect(giver.withdraw(['one'])).toBe(true)
    writeFileSync(posted, then)
    expect([taker.take('one'), answersIn(path)]).toEqual([null, []])
    // Also if it was not there any more when it was taken back.
    post(giver, 'one')
    const second = readFileSync(posted)
    writeFileSync(posted, 'x')
    expect(giver.withdraw(['one'])).toBe(true)
    writeFileSync(posted, second)
    expect([taker.take('one'), answersIn(path)]).toEqual([null, []])
    post(giver, 'one')
    expect(taker.take('one')).toEqual(YES)
    taker.drop('one')
    // Nor does a yes if the log cannot say whether it was taken back; a no does.
    store.close()
    rmSync(stateFiles(path).anchorOf(sessionId(GRANT_CHAIN)))
    const altered = openStore({ stateDir: path, durability: 'full', clock: systemClock })
    const late = openInbox(path, () => altered.grants)
    post(late, 'one')
    expect(late.take('one')).toBeNull()
    const no = { ...YES, isApproved: false }
    late.post(['one'], new Map([['one', no]]))
    expect(late.take('one')).toEqual(no)
    altered.close()
  })

  it('that was taken already cannot be taken back, and stays with the process that took it', () => {
    const { path } = makeScratch()
    const [giver, taker] = [openAnswerInbox(path), openAnswerInbox(path)]
    post(giver, 'one', 'two')
    expect(taker.take('one')).toEqual(YES)
    expect(giver.withdraw(['one', 'two'])).toBe(false)
    // All or none: the other one is still there for the process that takes them.
    expect(answersIn(path).toSorted()).toEqual(['one.taken', 'two.json'])
    expect(taker.take('two')).toEqual(YES)
  })
})

const waitingFor = (approval: string): ToolResult =>
  waitingRow({ execution: 'e', id: 'c', name: 'writer' }, approval)

describe('an answer that cannot be read', () => {
  it('approves nothing, and nobody waits for it: the question stays open', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'normal', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's' })
    const [question] = await owner.pending()
    const box = openAnswerInbox(b.stateDir)
    const odd = { ...YES, wish: { scope: { kind: 'unheard of' }, seconds: null } } as unknown as Decision
    box.post([question?.id ?? ''], new Map([[question?.id ?? '', odd]]))
    await expect.poll(() => box.isGone(question?.id ?? '')).toBe(true)
    expect(await owner.pending()).toHaveLength(1)
    expect(existsSync(join(b.root, 'a'))).toBe(false)
    const done = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(done.results)).toEqual(['ok'])
  })
})

describe('an answer that chooses hunks', () => {
  const lines = (changed: readonly number[]): string =>
    Array.from({ length: 40 }, (_, at) => `${changed.includes(at + 1) ? 'new ' : ''}${at + 1}\n`).join('')
  const twoPlaces = editor('two_places', (_args, { edits }) => {
    edits.write('a.txt', new TextEncoder().encode(lines([5, 30])))
    return { said: '' }
  })
  const calls = batchOf(['read_file', { path: 'a.txt' }], ['two_places'])
  const options = { durability: 'normal', tools: [twoPlaces] } as const

  it.each(['is asking', 'left the question for later'])(
    'is taken as it was given by a live owner of the session that %s',
    async (how) => {
      const b = bench({ 'a.txt': lines([]) })
      const asking = Promise.withResolvers<void>()
      const never = new Promise<never>(() => undefined)
      const owner = await b.open({
        ...options,
        approve:
          how === 'is asking'
            ? () => {
                asking.resolve()
                return never
              }
            : 'later',
      })
      const run = owner.run(calls, { session: 's' })
      await (how === 'is asking' ? asking.promise : run)
      await inAnother(b, options, (runtime) => runtime.decide('all', { ...yes, hunks: [2] }))
      await run
      expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe(lines([30]))
    },
  )

  it('does not replace an earlier answer in silence', async () => {
    const b = bench({ 'a.txt': lines([]) })
    const [first] = await leave(b, batchOf(...READ, ['two_places'], write('b')), {
      tools: [twoPlaces, writer],
    })
    const id = first?.id ?? ''
    await inAnother(b, { tools: [twoPlaces, writer] }, (runtime) => runtime.decide([id], yes))
    const { faults } = await inAnother(b, { tools: [twoPlaces, writer] }, (runtime) =>
      runtime.decide([id], { ...yes, hunks: [1] }),
    )
    expect(faults).toMatchObject([{ id, why: expect.stringContaining('no hunks were chosen') }])
  })

  it('approves nothing if it has a field that this version does not know', () => {
    const { path } = makeScratch()
    const box = openAnswerInbox(path)
    const narrower = { ...YES, until: 'lunch' } as Decision
    box.post(['one'], new Map([['one', narrower]]))
    expect(box.take('one')).toBeNull()
  })
})

describe('an answer that another program left', () => {
  it.each([
    ['without a seal', (_stateDir: string, answer: string) => answer],
    [
      'with a seal of another question',
      (stateDir: string, answer: string) => {
        const key = readKey(join(stateDir, 'key')) ?? sealKey(new Uint8Array(32))
        return `${seal(key, `tongs answer 1\nanother\n${answer}`)}\n${answer}`
      },
    ],
    ['with a wrong seal', (_stateDir: string, answer: string) => `${'0'.repeat(64)}\n${answer}`],
  ])('%s approves nothing and makes no grant', async (_how, forge) => {
    const b = bench()
    const owner = await b.open({ durability: 'normal', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's' })
    const [question] = await owner.pending()
    const id = question?.id ?? ''
    mkdirSync(join(b.stateDir, 'mailbox'), { recursive: true })
    const answer = JSON.stringify({ ...YES, wish: { scope: { kind: 'tool' }, seconds: null } })
    writeFileSync(join(b.stateDir, 'mailbox', `${id}.json`), forge(b.stateDir, answer))
    await expect.poll(() => openAnswerInbox(b.stateDir).isGone(id)).toBe(true)
    expect(await owner.pending()).toHaveLength(1)
    expect(existsSync(join(b.root, 'a'))).toBe(false)
    expect((await owner.grants()).grants).toEqual([])
  })
})

describe('a process that looks out for late answers', () => {
  it('leaves one that could not be written down to the next owner of the session', async () => {
    const { path } = makeScratch()
    const box = openAnswerInbox(path)
    const tried = Promise.withResolvers<void>()
    const late = createLateAnswers(box)
    late.expect([waitingFor('one')], async () => {
      tried.resolve()
      throw new Error('full')
    })
    post(box, 'one')
    await tried.promise
    await late.close()
    expect([box.isGone('one'), openAnswerInbox(path).take('one')]).toEqual([false, YES])
  })

  it('applies each once, also if it is left twice, and removes it after it was written down', async () => {
    const { path } = makeScratch()
    const box = openAnswerInbox(path)
    const applied: string[] = []
    const control = Promise.withResolvers<void>()
    const late = createLateAnswers(box)
    late.expect([waitingFor('one')], async (approval) => void applied.push(approval))
    post(box, 'one')
    await expect.poll(() => applied.length === 1 && box.isGone('one')).toBe(true)
    // Left again, with one behind it that shows that the inbox was looked through since.
    post(box, 'one', 'two')
    late.expect([waitingFor('two')], async () => control.resolve())
    await control.promise
    await late.close()
    expect(applied).toEqual(['one'])
    expect(answersIn(path)).toEqual(['one.json'])
  })
})

describe('a late answer to a run whose signal was aborted since', () => {
  it('is left to the next owner of the session if the process shuts down', async () => {
    const { path } = makeScratch()
    const box = openAnswerInbox(path)
    const control = Promise.withResolvers<void>()
    const late = createLateAnswers(box)
    const applied: string[] = []
    const take = async (approval: string): Promise<void> => void applied.push(approval)
    late.expect([waitingFor('one')], take, AbortSignal.abort(DRAINING))
    late.expect([waitingFor('two')], async () => control.resolve())
    post(box, 'one', 'two')
    await control.promise
    await late.close()
    expect([applied, answersIn(path)]).toEqual([[], ['one.json']])
  })

  it('runs the batch otherwise: only that run was cancelled, and it had returned', async () => {
    const b = bench()
    const stop = new AbortController()
    const owner = await b.open({ durability: 'normal', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's', signal: stop.signal })
    stop.abort()
    const done = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(done.results)).toEqual(['ok'])
    expect(existsSync(join(b.root, 'a'))).toBe(true)
  })
})

describe('an answer whose giver stops waiting for the owner of the session', () => {
  it('is taken back and never applied', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    const owner = await openDeaf(b)
    await expect(inAnother(b, QUICK, (runtime) => runtime.decide('all', yes))).rejects.toThrow(/in use by/)
    expect(answersIn(b.stateDir)).toEqual([])
    await owner.close()
    expect(await inAnother(b, {}, (runtime) => runtime.pending())).toMatchObject([{ id: question?.id }])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('is taken back as well where the giver was interrupted', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    await openDeaf(b)
    const { faults } = await inAnother(b, {}, (runtime) =>
      runtime.decide('all', { ...yes, signal: AbortSignal.abort() }),
    )
    expect(faults).toMatchObject([{ id: question?.id, why: expect.stringContaining('was not answered') }])
    expect(answersIn(b.stateDir)).toEqual([])
  })
})

describe('an answer in the inbox', () => {
  it.each(['json', 'taken'])(
    'that a dead process left there (.%s) counts for nothing, and goes when the question is answered',
    async (ending) => {
      const b = bench()
      const [question] = await leave(b, batchOf(write('a')))
      const id = question?.id ?? ''
      const box = openAnswerInbox(b.stateDir)
      post(box, id)
      if (ending === 'taken') box.take(id)
      expect(answersIn(b.stateDir)).toHaveLength(1)
      const { results } = await inAnother(b, {}, (runtime) =>
        runtime.decide([id], { isApproved: false, say: 'no' }),
      )
      expect(outcomes(results)).toEqual(['approval_denied'])
      expect(errorOf(results[0]).message).toContain('no')
      expect(answersIn(b.stateDir)).toEqual([])
      expect(existsSync(join(b.root, 'a'))).toBe(false)
    },
  )

  it('that the owner of the session took is recorded once and leaves nothing behind', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'normal', approve: 'later', tools: [writer] })
    await owner.run(batchOf(write('a')), { session: 's' })
    const done = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(done.results)).toEqual(['ok'])
    await owner.close()
    expect(answersIn(b.stateDir)).toEqual([])
    const answers = [...(await b.open({ durability: 'normal' })).log({ session: 's' })].filter(
      ({ entry }) => entry.kind === 'answered',
    )
    expect(answers).toHaveLength(1)
  })
})
