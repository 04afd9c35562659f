import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { AskedEntry, Entry } from '../../../src/journal/entries/entry.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { batchOf, echo, outcomes, writer } from '../sample-tools.ts'
import { inAnother, leave, write, yes } from './waiting-bench.ts'

/** Writes entries as a process did before it died, each yes with its seal. */
async function writeBy(
  b: Bench,
  entries: (questions: readonly AskedEntry[]) => readonly Entry[],
): Promise<void> {
  const store = openStore({ stateDir: b.stateDir, durability: 'normal', clock: systemClock })
  const log = await store.open({ root: realpathSync(b.root), name: 's' })
  const asked = [...log.entries()].flatMap(({ entry }) => (entry.kind === 'asked' ? [entry] : []))
  const { root, name } = log.key
  const sealed = entries(asked).map((entry) => {
    if (entry.kind !== 'answered' || !entry.isApproved) return entry
    const question = asked.find(({ batch }) => batch === entry.batch)
    const binding = question?.questions.find(({ approval }) => approval === entry.approval)?.binding
    const about = [root, name, entry.batch, entry.approval, binding, question?.expiresAt]
    const seal = store.grants.sealAnswer(JSON.stringify(about))
    return { ...entry, seal }
  })
  log.append({ entries: sealed, reliance: 'durable' })
  log.close()
  store.close()
}

const answered = (isApproved: boolean) => (asked: readonly AskedEntry[]) =>
  asked.flatMap(({ batch, questions }) =>
    questions.map(
      ({ approval }) => ({ kind: 'answered', batch, approval, isApproved, say: null, actor: null }) as const,
    ),
  )

describe('a process that died', () => {
  it('after its answer and before the batch went on: the same answer again lets it go on, and a no to all does not', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    await writeBy(b, answered(true))
    const none = await inAnother(b, {}, (runtime) => runtime.decide('all', { isApproved: false }))
    expect(none).toMatchObject({ results: [], faults: [] })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
    const done = await inAnother(b, {}, (runtime) => runtime.decide([question?.id ?? ''], yes))
    expect(outcomes(done.results)).toEqual(['ok'])
  })

  it('after the batch was taken up: no answer starts it a second time, and recovery is named', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    await writeBy(b, (asked) => [
      ...answered(true)(asked),
      ...asked.map(({ batch }) => ({ kind: 'continued', batch }) as const),
    ])
    const late = await inAnother(b, {}, (runtime) => runtime.decide([question?.id ?? ''], yes))
    expect(late.results).toEqual([])
    expect(late.faults[0]?.why).toBe('was already approved, and its batch was interrupted; see tongs recover')
    expect((await inAnother(b, {}, (runtime) => runtime.decide('all', yes))).results).toEqual([])
    const found = await inAnother(b, {}, (runtime) => runtime.recover({ choice: 'resume' }))
    expect(found[0]?.calls).toMatchObject([{ name: 'writer', status: 'never_started' }])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('after the batch was taken up: a copy of its questions, added by another program, starts nothing either', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    await writeBy(b, (asked) => [
      ...answered(true)(asked),
      ...asked.map(({ batch }) => ({ kind: 'continued', batch }) as const),
      ...asked,
    ])
    const late = await inAnother(b, {}, (runtime) => runtime.decide([question?.id ?? ''], yes))
    expect(late).toMatchObject({ results: [], faults: [{ id: question?.id }] })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('of two answers on record the first one counts', async () => {
    const b = bench()
    await leave(b, batchOf(write('a')))
    await writeBy(b, answered(false))
    await writeBy(b, answered(true))
    const { results } = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(results)).toEqual(['approval_denied'])
  })
})

describe('a live process that owns the session', () => {
  it('takes an answer that another one leaves, runs the batch once, and the other one sees the results', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'normal', approve: 'later', tools: [writer] })
    const heard: string[] = []
    await owner.run(batchOf(write('a'), write('b')), {
      session: 's',
      onEvent: (event) => event.event === 'result' && heard.push(event.result.id),
    })
    const [first, second] = await owner.pending()
    const half = await inAnother(b, {}, (runtime) => runtime.decide([first?.id ?? ''], yes))
    expect(half).toMatchObject({ handed: [first?.id], open: [{ id: second?.id }] })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
    const done = await inAnother(b, {}, (runtime) =>
      runtime.decide([second?.id ?? ''], { isApproved: false, say: 'no' }),
    )
    expect(done).toMatchObject({ handed: [second?.id], open: [] })
    expect(outcomes(done.results)).toEqual(['ok', 'approval_denied'])
    expect(heard).toEqual(['c1', 'c2'])
    expect(readFileSync(join(b.root, 'a'), 'utf8')).toBe('a')
  })

  it('and runs the batch: the same answer again is told of the first one, and of no recovery', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    const id = question?.id ?? ''
    const running = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const slow: typeof writer = {
      ...writer,
      run: async (...given) => {
        running.resolve()
        await end.promise
        return writer.run(...given)
      },
    }
    const owner = await b.open({ durability: 'normal', tools: [slow] })
    const first = owner.decide([id], { ...yes, actor: { id: 'ann' } })
    await running.promise
    const second = await inAnother(b, {}, (runtime) => runtime.decide([id], yes))
    const why = 'was already approved by ann, and its batch is still at work'
    expect(second).toMatchObject({ results: [], handed: [], faults: [{ id, why }] })
    end.resolve()
    expect(outcomes((await first).results)).toEqual(['ok'])
    const late = await inAnother(b, {}, (runtime) => runtime.decide([id], yes))
    expect(late.faults).toEqual([{ id, why: 'was already approved by ann, and its batch is done' }])
  })

  it('that takes no answers is waited for and then named, and the answer is taken back', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    const owner = await b.open({ durability: 'normal', tools: [echo] })
    await owner.run(batchOf(['echo']), { session: 's' })
    const quick = { config: { 'tools.session_wait_seconds': 0.2 } }
    await expect(inAnother(b, quick, (runtime) => runtime.decide('all', yes))).rejects.toThrow(
      /in use by process \d+/,
    )
    await owner.close()
    expect(await inAnother(b, {}, (runtime) => runtime.pending())).toMatchObject([{ id: question?.id }])
    expect(outcomes((await inAnother(b, {}, (runtime) => runtime.decide('all', yes))).results)).toEqual([
      'ok',
    ])
  })

  it('that ends while it is waited for leaves the answer to the one that waits', async () => {
    const b = bench()
    await leave(b, batchOf(write('a')))
    const owner = await b.open({ durability: 'normal', tools: [echo] })
    await owner.run(batchOf(['echo']), { session: 's' })
    const answer = inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    await new Promise((resolve) => setTimeout(resolve, 150))
    await owner.close()
    expect(await answer).toMatchObject({ handed: [], faults: [] })
    expect(readFileSync(join(b.root, 'a'), 'utf8')).toBe('a')
  })
})
