import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench, benchAskingBefore, errorOf } from '../../bench-folder.ts'
import { batchOf, editor, outcomes, outsider, reader, writer } from '../sample-tools.ts'
import { DAY_MS, inAnother, leave, settableClock, WEEK_MS, write, yes } from './waiting-bench.ts'

const other = editor('other', () => ({ said: '' }))

describe('a batch that waits', () => {
  it('gives settled calls their result, the others a notice, and nothing of it has run', async () => {
    const ran: string[] = []
    const note = reader('note', () => {
      ran.push('note')
      return { said: '' }
    })
    const b = bench()
    await inAnother(b, { approve: 'later', tools: [writer, note] }, async (runtime) => {
      const rows = await runtime.run(batchOf(['note'], write('a'), ['nope'], write('b')))
      expect(outcomes(rows)).toEqual([
        'approval_required',
        'approval_required',
        'unknown_tool',
        'approval_required',
      ])
      const ids = (await runtime.pending()).map(({ id }) => id)
      expect(rows.map((row) => (row.ok ? '' : (row.error.details['approval'] ?? null)))).toEqual([
        null,
        ids[0],
        null,
        ids[1],
      ])
      expect(rows.map(({ execution }) => execution.state)).toEqual([
        'VALIDATED',
        'VALIDATED',
        'FAILED',
        'VALIDATED',
      ])
      // How to answer is for people: a model that reads this must not be taught it.
      for (const { content } of rows) expect(content).not.toContain('approve')
      expect(ran).toEqual([])
      expect(existsSync(join(b.root, 'a'))).toBe(false)
    })
  })

  it('keeps the answers that an approver gave, and waits for those that it put off', async () => {
    const b = bench()
    const approve = () => ['once', 'later'] as const
    const [open] = await inAnother(b, { approve }, async (runtime) => {
      const rows = await runtime.run(batchOf(write('a'), write('b')), { session: 's' })
      expect(outcomes(rows)).toEqual(['approval_required', 'approval_required'])
      return runtime.pending()
    })
    expect(open?.call.args['path']).toBe('b')
    const done = await inAnother(b, {}, (runtime) => runtime.decide([open?.id ?? ''], yes))
    expect(outcomes(done.results)).toEqual(['ok', 'ok'])
  })

  it('goes on in another process, days later, with the last answer, and runs once', async () => {
    const b = bench()
    const clock = settableClock()
    const [first, second] = await leave(b, batchOf(['echo', { word: 'hi' }], write('a'), write('b')), {
      clock,
    })
    clock.aheadMs = 6 * DAY_MS
    const open = await inAnother(b, { clock }, (runtime) => runtime.decide([first?.id ?? ''], yes))
    expect(open.open.map(({ id }) => id)).toEqual([second?.id])
    expect(outcomes(open.results)).toEqual(['approval_required', 'approval_required', 'approval_required'])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
    const done = await inAnother(b, { clock }, (runtime) => runtime.decide([second?.id ?? ''], yes))
    expect(done.open).toEqual([])
    expect(outcomes(done.results)).toEqual(['ok', 'ok', 'ok'])
    expect(done.results.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
    const again = await inAnother(b, { clock }, (runtime) => runtime.decide([second?.id ?? ''], yes))
    expect(again.results).toEqual([])
    expect(again.faults).toEqual([{ id: second?.id, why: 'was already approved, and its batch is done' }])
  })

  it('a denial with words is what the model gets, and the rest of the batch still runs', async () => {
    const b = bench()
    await leave(b, batchOf(write('a'), ['echo']))
    const { results } = await inAnother(b, {}, (runtime) =>
      runtime.decide('all', { isApproved: false, say: 'not there' }),
    )
    expect(outcomes(results)).toEqual(['approval_denied', 'ok'])
    expect(errorOf(results[0])).toMatchObject({
      message: 'Denied by the user: not there',
      details: { say: 'not there' },
    })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('a question expires after its time: it is listed no more, and a late yes changes nothing', async () => {
    const b = bench()
    const clock = settableClock()
    const [question] = await leave(b, batchOf(write('a'), ['echo']), { clock })
    expect((question?.expires_at ?? 0) - (question?.asked_at ?? 0)).toBeGreaterThan(WEEK_MS - 1000)
    clock.aheadMs = WEEK_MS - 5000
    expect(await inAnother(b, { clock }, (runtime) => runtime.pending())).toHaveLength(1)
    clock.aheadMs = WEEK_MS + 5000
    expect(await inAnother(b, { clock }, (runtime) => runtime.pending())).toEqual([])
    const { results } = await inAnother(b, { clock }, (runtime) => runtime.decide([question?.id ?? ''], yes))
    expect(outcomes(results)).toEqual(['approval_denied', 'ok'])
    expect(errorOf(results[0]).details).toEqual({ reason: 'expired' })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it.each([
    ['another process', false],
    ['the process that asked', true],
  ])('a yes that comes after its time grants nothing either: given by %s', async (_by, isOwner) => {
    const b = bench()
    const clock = settableClock()
    const late = async (): Promise<void> => {
      const [question] = await inAnother(b, {}, (runtime) => runtime.pending())
      clock.aheadMs = WEEK_MS + 5000
      const give = { ...yes, seconds: 60 }
      const done = await inAnother(b, { clock }, (runtime) => runtime.decide([question?.id ?? ''], give))
      expect(outcomes(done.results)).toEqual(['approval_denied'])
    }
    await inAnother(b, { approve: 'later', clock }, async (runtime) => {
      await runtime.run(batchOf(write('a')), { session: 's' })
      if (isOwner) await late()
    })
    if (!isOwner) await late()
    const { grants } = await inAnother(b, { clock }, (runtime) => runtime.grants())
    expect(grants).toEqual([])
  })

  it('if it would change something else by then, it is refused and nothing is written', async () => {
    const b = bench({ 'a.txt': 'one\n' })
    await inAnother(b, { approve: 'later' }, async (runtime) => {
      await runtime.run(batchOf(['read_file', { path: 'a.txt' }]), { session: 's' })
      await runtime.run(batchOf(['write_file', { path: 'a.txt', content: 'two\n' }]), { session: 's' })
    })
    rmSync(join(b.root, 'a.txt'))
    const { results } = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(errorOf(results[0])).toMatchObject({
      code: 'approval_denied',
      details: { reason: 'preview_changed' },
      state: 'ROLLED_BACK',
    })
    expect(existsSync(join(b.root, 'a.txt'))).toBe(false)
  })

  it('if the file changed since it was read, the call fails by that, and nothing is written', async () => {
    const b = bench({ 'a.txt': 'one\n' })
    await inAnother(b, { approve: 'later' }, async (runtime) => {
      await runtime.run(batchOf(['read_file', { path: 'a.txt' }]), { session: 's' })
      await runtime.run(batchOf(['write_file', { path: 'a.txt', content: 'two\n' }]), { session: 's' })
    })
    writeFileSync(join(b.root, 'a.txt'), 'somebody else was here\n')
    const { results } = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(errorOf(results[0])).toMatchObject({ code: 'stale_file', state: 'ROLLED_BACK' })
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('somebody else was here\n')
  })

  it('an approval is for the confinement that was shown and for no other', async () => {
    const limit = (seconds: number) => ({ config: { 'tools.shell.limits.cpu_seconds': seconds } })
    const b = benchAskingBefore()
    const [question] = await leave(b, batchOf(['run_shell', { cmd: ['touch', 'a'] }]), limit(7))
    expect(question?.limits).toContain('cpu_seconds 7')
    const { results } = await inAnother(b, limit(9), (runtime) => runtime.decide('all', yes))
    expect(errorOf(results[0])).toMatchObject({
      code: 'approval_denied',
      details: { reason: 'preview_changed' },
    })
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('an approval is for one version of a tool and no other', async () => {
    const b = bench()
    let runs = 0
    const made = (version: string) =>
      outsider(
        'ping',
        () => {
          runs++
          return { said: '' }
        },
        { version },
      )
    const options = (version: string) => ({ tools: [made(version)] })
    await leave(b, batchOf(['ping']), options('1.0.0'))
    const changed = await inAnother(b, options('1.0.1'), (runtime) => runtime.decide('all', yes))
    expect(errorOf(changed.results[0])).toMatchObject({
      code: 'approval_denied',
      details: { reason: 'preview_changed' },
      state: 'DENIED',
    })
    expect(runs).toBe(0)
    await leave(b, batchOf(['ping']), options('1.0.1'))
    expect(
      outcomes((await inAnother(b, options('1.0.1'), (runtime) => runtime.decide('all', yes))).results),
    ).toEqual(['ok'])
    expect(runs).toBe(1)
  })

  it('forgetting a session leaves alone what still waits in it', async () => {
    const b = bench()
    const said: string[] = []
    const ping = outsider('ping', ({ word = '' }) => {
      said.push(word)
      return { said: word }
    })
    await leave(b, batchOf(['ping', { word: 'x' }]), { tools: [ping] })
    const { results } = await inAnother(b, { tools: [ping] }, async (runtime) => {
      await runtime.forget({ session: 's' })
      return runtime.decide('all', yes)
    })
    expect(outcomes(results)).toEqual(['ok'])
    expect(said).toEqual(['x'])
  })

  it('answers cover every session of the root, or the one that is named', async () => {
    const b = bench()
    await inAnother(b, { approve: 'later' }, async (runtime) => {
      for (const session of ['one', 'two', 'three']) await runtime.run(batchOf(write(session)), { session })
    })
    const only = await inAnother(b, {}, (runtime) => runtime.decide('all', { ...yes, session: 'two' }))
    expect(outcomes(only.results)).toEqual(['ok'])
    expect(['one', 'two', 'three'].map((name) => existsSync(join(b.root, name)))).toEqual([
      false,
      true,
      false,
    ])
    const rest = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(outcomes(rest.results)).toEqual(['ok', 'ok'])
    expect(await inAnother(b, {}, (runtime) => runtime.pending())).toEqual([])
  })

  it('an id is taken whole or by a beginning that fits one question only; else nothing is answered at all', async () => {
    const b = bench()
    const questions = await leave(b, batchOf(write('a'), write('b')))
    const [first, second] = questions.map(({ id }) => id)
    // Under load the two may be born in different milliseconds.
    const apart = [...(first ?? '')].findIndex((letter, at) => letter !== second?.[at])
    const shared = first?.slice(0, apart) ?? ''
    const decide = (ids: readonly string[], options = yes) =>
      inAnother(b, {}, (runtime) => runtime.decide(ids, options))
    expect((await decide([shared])).faults[0]?.why).toBe(`could be any of ${first}, ${second}`)
    expect((await decide(['nope', first ?? ''])).faults).toEqual([
      { id: 'nope', why: 'does not match a waiting question; see tongs pending' },
    ])
    expect((await decide([''])).faults).toHaveLength(1)
    expect(await inAnother(b, {}, (runtime) => runtime.pending())).toHaveLength(2)
    expect((await decide([first?.slice(0, -1) ?? ''])).open.map(({ id }) => id)).toEqual([second])
  })

  it('the first answer counts', async () => {
    const b = bench()
    const [first, second] = await leave(b, batchOf(write('a'), write('b')))
    const decide = (id: string | undefined, isApproved: boolean) =>
      inAnother(b, {}, (runtime) => runtime.decide([id ?? ''], { isApproved }))
    await decide(first?.id, false)
    expect((await decide(first?.id, true)).faults[0]?.why).toBe(
      'was already denied, and the first answer counts',
    )
    expect((await decide(first?.id, false)).open.map(({ id }) => id)).toEqual([second?.id])
    expect(outcomes((await decide(second?.id, true)).results)).toEqual(['approval_denied', 'ok'])
  })

  it('who answered is on record', async () => {
    const b = bench()
    await leave(b, batchOf(write('a')))
    await inAnother(b, {}, async (runtime) => {
      await runtime.decide('all', { ...yes, actor: { id: 'ada', tenant: 'works' } })
      const answers = [...runtime.log()].flatMap(({ entry }) => (entry.kind === 'answered' ? [entry] : []))
      expect(answers).toMatchObject([{ isApproved: true, actor: { id: 'ada', tenant: 'works' } }])
    })
  })

  it('a policy that has become stricter meanwhile is obeyed', async () => {
    const b = bench()
    await leave(b, batchOf(write('a'), ['echo']))
    const config = { 'tools.approval.denylist': ['writer'] }
    const { results } = await inAnother(b, { config }, (runtime) => runtime.decide('all', yes))
    expect(outcomes(results)).toEqual(['denylisted', 'ok'])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('what needs an answer only by now is refused where nobody can be asked, and asked where somebody can', async () => {
    for (const [approve, outcome] of [
      [undefined, 'approval_denied'],
      [() => ['once' as const], 'ok'],
    ] as const) {
      const b = bench()
      await leave(b, batchOf(write('a'), ['other', { path: 'o' }]), {
        tools: [writer, other],
        config: { 'tools.approval.allowlist': ['other'] },
      })
      const options = { tools: [writer, other], ...(approve === undefined ? {} : { approve }) }
      const { results } = await inAnother(b, options, (runtime) => runtime.decide('all', yes))
      expect(outcomes(results)).toEqual(['ok', outcome])
      if (outcome !== 'ok') expect(errorOf(results[1]).details).toEqual({ reason: 'not_asked' })
    }
  })
})
