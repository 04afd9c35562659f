import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer, ApprovalRequest } from '../../../src/core/approval.ts'
import type { GrantScope } from '../../../src/core/grant.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { agreeing, asked, batchOf, editor, outcomes, outsider, reader, writer } from '../sample-tools.ts'
import { inAnother, leave, settableClock, write } from '../approve/waiting-bench.ts'

const TOOL: ApprovalAnswer = { answer: 'scope', scope: { kind: 'tool' } }
const CONSENT = { 'tools.rules': [{ tool: 'look', type: 'RequiresConsent', scope: 'the archive' }] }
const look = reader('look', () => ({ said: 'seen' }))
const insisting = editor('insisting', () => ({ said: '' }), { requiresApproval: true })
const tools = [writer, look, insisting]

/** Answers the first question like this, and would say no to every other. */
function answering(first: ApprovalAnswer | ((request: ApprovalRequest) => ApprovalAnswer)) {
  let isFirst = true
  return asked((requests) =>
    requests.map((request) => {
      const answer = isFirst ? (typeof first === 'function' ? first(request) : first) : 'deny'
      isFirst = false
      return answer
    }),
  )
}

const scoped = (scope: GrantScope): ApprovalAnswer => ({ answer: 'scope', scope })

/** Runs calls one by one in one runtime; what became of each. */
async function inTurn(
  b: Bench,
  options: Partial<RuntimeOptions>,
  ...calls: readonly (readonly [string, object?])[]
): Promise<readonly string[]> {
  const runtime = await b.open({ tools, ...options })
  const found: string[] = []
  for (const call of calls) found.push(...outcomes(await runtime.run(batchOf(call))))
  return found
}

describe('a grant', () => {
  it('P-GRANT-Scope: given for a scope it holds for what the scope covers, until it is revoked', async () => {
    const b = bench()
    const approve = answering(scoped({ kind: 'path', glob: 'src/**' }))
    const runtime = await b.open({ tools, approve })
    const run = async (path: string) => outcomes(await runtime.run(batchOf(write(path))))[0]
    expect([await run('src/a'), await run('src/b/c'), await run('lib/a')]).toEqual([
      'ok',
      'ok',
      'approval_denied',
    ])
    expect(approve.questions.length).toBe(2)
    const [grant] = (await runtime.grants()).grants
    expect(grant).toMatchObject({ tool: 'writer', standing: 'standing', expires_at: null, used: 1 })
    expect(await runtime.revoke(grant?.id ?? '')).toMatchObject({ ok: true, isNew: true })
    expect(await run('src/a')).toBe('approval_denied')
  })

  it('P-GRANT-Scope: beside the paths it names it covers nothing, not even together with one of them', async () => {
    const b = bench({ 'src/a.txt': 'a\n', 'src/sub/b.txt': 'b\n' })
    const approve = answering(scoped({ kind: 'path', glob: 'src/*' }))
    const runtime = await b.open({ tools, approve })
    const run = async (path: string) => outcomes(await runtime.run(batchOf(write(path))))[0]
    expect([await run('src/new'), await run('src/newer')]).toEqual(['ok', 'ok'])
    expect([await run('src/sub/deep'), await run('src/.hidden')]).toEqual([
      'approval_denied',
      'approval_denied',
    ])
    const mover = await b.open({ approve: answering(scoped({ kind: 'path', glob: 'src/**' })) })
    const move = async (from: string, to: string) =>
      outcomes(await mover.run(batchOf(['move_path', { from, to }])))[0]
    expect(await move('src/a.txt', 'src/c.txt')).toBe('ok')
    expect(await move('src/c.txt', 'src/sub/c.txt')).toBe('ok')
    expect(await move('src/sub/c.txt', 'lib/c.txt')).toBe('approval_denied')
  })

  it('P-GRANT-Duration: given for a time it holds until then, and a clock that is set back brings it not back', async () => {
    const b = bench()
    const clock = settableClock()
    const approve = answering({ answer: 'duration', seconds: 600 })
    const runtime = await b.open({ tools, approve, clock })
    let number = 0
    const run = async () => outcomes(await runtime.run(batchOf(write(`file${number++}`))))[0]
    expect(await run()).toBe('ok')
    clock.aheadMs = 590_000
    expect(await run()).toBe('ok')
    clock.aheadMs = 601_000
    expect(await run()).toBe('approval_denied')
    clock.aheadMs = 10_000
    expect(await run()).toBe('approval_denied')
  })

  it('P-GRANT-Duration: stays expired in another process after the clock was set back, as the log knows a later time', async () => {
    const b = bench()
    const clock = settableClock()
    const given = answering({ answer: 'duration', seconds: 600 })
    await inAnother(b, { approve: given, clock }, (runtime) => runtime.run(batchOf(write('a'))))
    // Only reads, so that no grant is looked up while the time is over.
    clock.aheadMs = 601_000
    await inAnother(b, { clock }, (runtime) => runtime.run(batchOf(['read_file', { path: 'a' }])))
    clock.aheadMs = 10_000
    await inAnother(b, { approve: answering('deny'), clock }, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('b'))))).toEqual(['approval_denied'])
      expect((await runtime.grants()).grants).toMatchObject([{ standing: 'expired' }])
    })
    // One that is given by the clock as it is now holds.
    const again = answering({ answer: 'duration', seconds: 60 })
    await inAnother(b, { approve: again, clock }, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('c'))))).toEqual(['ok'])
      expect(outcomes(await runtime.run(batchOf(write('d'))))).toEqual(['ok'])
    })
  })

  it('from the future counts for nothing: the clock or the record is wrong', async () => {
    const b = bench()
    await inAnother(b, { approve: answering(TOOL) }, (runtime) => runtime.run(batchOf(write('a'))))
    const clock = settableClock()
    clock.aheadMs = -3_600_000
    await inAnother(b, { approve: agreeing(), clock }, async (runtime) => {
      const { grants } = await runtime.grants()
      expect(grants.map(({ standing }) => standing)).toEqual(['from the future'])
    })
    const approve = answering('deny')
    await inAnother(b, { approve, clock }, (runtime) => runtime.run(batchOf(write('a'))))
    expect(approve.questions.length).toBe(1)
  })

  it('P-STATE-PERSIST: holds in every session of its root, and after a restart, and nowhere else', async () => {
    const b = bench()
    await inAnother(b, { approve: answering(TOOL) }, (runtime) =>
      runtime.run(batchOf(write('a')), { session: 'one' }),
    )
    await inAnother(b, {}, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('b')), { session: 'two' }))).toEqual(['ok'])
      expect((await runtime.grants()).grants).toMatchObject([{ used: 1 }])
    })
    await inAnother(b, {}, async (runtime) => {
      for (const name of ['c', 'd'])
        expect(outcomes(await runtime.run(batchOf(write(name)), { session: 'two' }))).toEqual(['ok'])
      expect((await runtime.grants()).grants).toMatchObject([{ used: 3 }])
    })
    const other = bench()
    await inAnother(b, { root: other.root }, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('b'))))).toEqual(['approval_denied'])
      expect((await runtime.grants()).grants).toEqual([])
    })
  })

  it('is gone for a live runtime as soon as another process revokes it', async () => {
    const b = bench()
    await inAnother(b, { approve: answering(TOOL) }, async (runtime) => {
      await runtime.run(batchOf(write('a')), { session: 'live' })
      expect(outcomes(await runtime.run(batchOf(write('b')), { session: 'live' }))).toEqual(['ok'])
      await inAnother(b, {}, async (other) => {
        const [grant] = (await other.grants()).grants
        expect(await other.revoke(grant?.id ?? '', { session: 'live' })).toMatchObject({ ok: true })
      })
      expect(outcomes(await runtime.run(batchOf(write('c')), { session: 'live' }))).toEqual([
        'approval_denied',
      ])
    })
  })

  it('P-EXEC-5: stands in the record, the result, the audit trail and the explanation of each call it allowed', async () => {
    const runtime = await bench().open({ tools, approve: answering(TOOL) })
    const [first] = await runtime.run(batchOf(write('a')))
    const [result] = await runtime.run(batchOf(write('b')))
    const [grant] = (await runtime.grants()).grants
    const id = grant?.id ?? 'none'
    expect(result?.execution.grant).toBe(id)
    const [why] = runtime.why(result?.execution.id ?? '')
    expect(why?.grant).toEqual({ id, sentence: 'writer may run without a question whatever its arguments.' })
    expect(why?.gates.find(({ gate }) => gate === 'approval mode')).toMatchObject({
      verdict: 'pass',
      grant: id,
      fact: expect.stringContaining(`allowed by grant ${id}: writer may run without a question`),
    })
    const last = [...runtime.audit()].findLast(({ executionId }) => executionId === first?.execution.id)
    expect(last).toMatchObject({ state: 'COMPLETED', consent: { by: 'answer' } })
    const events = [...runtime.audit()].filter(({ executionId }) => executionId === result?.execution.id)
    expect(events.map(({ state, consent }) => [state, consent?.by])).toEqual([
      ['DECLARED', undefined],
      ['VALIDATED', undefined],
      ['AUTHORIZED', 'grant'],
      ['EXECUTING', 'grant'],
      ['COMPLETED', 'grant'],
    ])
  })

  it('who answered stands in it, and the log tells when it was given and when it was revoked', async () => {
    const runtime = await bench().open({ tools, approve: answering(TOOL), actor: { id: 'ada' } })
    await runtime.run(batchOf(write('a')), { actor: { id: 'bob' } })
    const [grant] = (await runtime.grants()).grants
    expect(grant).toMatchObject({ granted_by: 'bob' })
    await runtime.revoke(grant?.id.slice(0, 20) ?? '')
    const notes = [...runtime.log()].flatMap(({ entry }) => (entry.kind === 'note' ? [entry] : []))
    expect(notes.map(({ about }) => about)).toEqual(['granted', 'revoked'])
    expect(notes[0]?.data).toMatchObject({ grant: grant?.id, granted_by: 'bob' })
    expect(notes[1]?.data).toMatchObject({ grant: grant?.id, revoked_by: 'ada' })
  })

  it('given for exactly these arguments covers no others', async () => {
    const approve = answering(({ scopes }) => scoped(scopes[0]?.scope ?? { kind: 'tool' }))
    const calls = [write('a'), write('a'), write('b')] as const
    expect(await inTurn(bench(), { approve }, ...calls)).toEqual(['ok', 'ok', 'approval_denied'])
  })

  it('an answer for once, and --yes is one, leaves none behind', async () => {
    const runtime = await bench().open({ tools, approve: agreeing() })
    await runtime.run(batchOf(write('a'), ['insisting']))
    expect(await runtime.grants()).toEqual({ grants: [], ignored: [] })
  })

  it.for([
    ['a scope that does not cover the call', scoped({ kind: 'path', glob: 'lib/**' })],
    ['a pattern that is none', scoped({ kind: 'path', glob: '[' })],
    ['no time at all', { answer: 'duration', seconds: 0 }],
    ['a time that is none', { answer: 'duration', seconds: Number.NaN }],
    ['words of a command where none is run', scoped({ kind: 'command', words: ['git'] })],
  ] as const)('that makes no sense is not given, and the call does not run: %s', async ([, answer]) => {
    const b = bench()
    const runtime = await b.open({ tools, approve: answering(answer) })
    const [result] = await runtime.run(batchOf(write('src/a')))
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'approval_denied', details: { reason: 'unclear' } },
    })
    expect((await runtime.grants()).grants).toEqual([])
  })
})

describe('at the door', () => {
  const granted = answering(scoped({ kind: 'path', glob: 'safe/**' }))

  it('a grant is judged on where a path leads by then, not on where it led when the batch was planned', async () => {
    const b = bench({ 'safe/x': '', 'other/x': '' })
    const link = join(b.root, 'link')
    symlinkSync('safe', link)
    const swap = outsider('swap', () => {
      rmSync(link)
      symlinkSync('other', link)
      return { said: 'swapped' }
    })
    const config = { 'tools.approval.allowlist': ['swap'] }
    const runtime = await b.open({ tools: [...tools, swap], approve: granted, config })
    expect(outcomes(await runtime.run(batchOf(write('safe/a'))))).toEqual(['ok'])
    expect(outcomes(await runtime.run(batchOf(write('link/b'))))).toEqual(['ok'])
    const results = await runtime.run(batchOf(['swap'], write('link/c')))
    expect(outcomes(results)).toEqual(['ok', 'approval_denied'])
    expect(granted.questions.at(-1)).toMatchObject([{ call: { args: { path: 'link/c' } } }])
    expect(existsSync(join(b.root, 'other', 'c'))).toBe(false)
  })

  it('a grant for exact arguments covers them only while their paths lead to the same places', async () => {
    const b = bench({ 'safe/x': '', 'other/x': '' })
    const link = join(b.root, 'link')
    symlinkSync('safe', link)
    const always = answering(({ scopes }) => scoped(scopes[0]?.scope ?? { kind: 'tool' }))
    const runtime = await b.open({ tools, approve: always, config: { 'tools.dedupe_window_seconds': 0 } })
    const run = async (path: string) => outcomes(await runtime.run(batchOf(write(path))))[0]
    expect([await run('link/a'), await run('link/a')]).toEqual(['ok', 'ok'])
    rmSync(link)
    symlinkSync('other', link)
    expect(await run('link/a')).toBe('approval_denied')
    expect(existsSync(join(b.root, 'other', 'a'))).toBe(false)
    rmSync(link)
    symlinkSync('safe', link)
    expect(await run('link/a')).toBe('ok')
  })

  it.each(['an approver', 'a later answer'])(
    'a grant by %s for the exact arguments of a plain path does not cover a link in its place',
    async (way) => {
      const b = bench({ 'safe/x': '', 'other/x': '' })
      const config = { 'tools.dedupe_window_seconds': 0 }
      const run = async (approve: NonNullable<RuntimeOptions['approve']>) =>
        inAnother(b, { approve, config }, async (runtime) =>
          outcomes(await runtime.run(batchOf(write('safe/a')))),
        )
      const always = answering(({ scopes }) => scoped(scopes[0]?.scope ?? { kind: 'tool' }))
      if (way === 'a later answer') {
        await leave(b, batchOf(write('safe/a')), { config })
        await inAnother(b, { config }, (runtime) =>
          runtime.decide('all', { isApproved: true, scope: 'arguments' }),
        )
      } else expect(await run(always)).toEqual(['ok'])
      const denying = asked(() => ['deny'])
      expect(await run(denying)).toEqual(['ok'])
      renameSync(join(b.root, 'safe'), join(b.root, 'was'))
      symlinkSync('other', join(b.root, 'safe'))
      expect(await run(denying)).toEqual(['approval_denied'])
      expect(existsSync(join(b.root, 'other', 'a'))).toBe(false)
    },
  )

  it('a grant that was revoked since the batch was planned lets nothing in', async () => {
    const b = bench()
    const revoking = outsider('revoking', async () => {
      const [grant] = (await runtime.grants()).grants
      await runtime.revoke(grant?.id ?? '')
      return { said: 'revoked' }
    })
    const config = { 'tools.approval.allowlist': ['revoking'] }
    const runtime = await b.open({ tools: [...tools, revoking], approve: answering(TOOL), config })
    expect(outcomes(await runtime.run(batchOf(write('a'))))).toEqual(['ok'])
    const results = await runtime.run(batchOf(write('b'), ['revoking'], write('c')))
    expect(outcomes(results)).toEqual(['ok', 'ok', 'approval_denied'])
    expect((await runtime.grants()).grants).toMatchObject([{ used: 1, standing: 'revoked' }])
  })
})

describe('a grant that somebody else has touched', () => {
  it('cannot lose the note that it was revoked without audit verify naming it', async () => {
    const b = bench()
    const options = { durability: 'full' } as const
    await inAnother(b, { ...options, approve: answering(TOOL) }, (runtime) =>
      runtime.run(batchOf(write('a'))),
    )
    await inAnother(b, options, async (runtime) => {
      const [grant] = (await runtime.grants()).grants
      await runtime.revoke(grant?.id ?? '', { session: 'other' })
    })
    const cut = (table: string): string =>
      `DELETE FROM ${table} WHERE session = (SELECT id FROM session WHERE name = 'other')`
    const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
    for (const table of ['log', 'place', 'about']) database.exec(cut(table))
    database.close()
    const found = await inAnother(b, options, (runtime) => runtime.verify())
    expect(found).toMatchObject({ ok: false, first_bad: { session: 'other' } })
  })

  it.for([
    'UPDATE grants SET expires_at = NULL',
    'UPDATE grants SET revoked_at = NULL',
    `UPDATE grants SET scope = '{"kind":"tool"}'`,
  ])('allows nothing, and the question says that it is ignored: %s', async (sql) => {
    const b = bench()
    const given = { answer: 'duration', seconds: 600, scope: { kind: 'path', glob: '*' } } as const
    await inAnother(b, { approve: answering(given) }, async (runtime) => {
      await runtime.run(batchOf(write('a')))
      await runtime.revoke((await runtime.grants()).grants[0]?.id ?? '')
    })
    const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
    database.exec(sql)
    database.close()
    const approve = answering('deny')
    await inAnother(b, { approve }, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('b'))))).toEqual(['approval_denied'])
      const { grants, ignored } = await runtime.grants()
      expect([grants, ignored.length]).toEqual([[], 1])
      expect(await runtime.revoke(ignored[0]?.id ?? '')).toEqual({ ok: true, removed: ignored[0]?.id })
      expect((await runtime.grants()).ignored).toEqual([])
    })
    expect(approve.questions[0]?.[0]?.why).toMatch(
      /a grant for it is ignored, because the record was changed/,
    )
  })
})

describe('one broker', () => {
  it('a grant satisfies approval, the tool’s own demand and a rule that wants consent; an allowlist only the first', async () => {
    for (const name of ['writer', 'insisting', 'look']) {
      const approve = answering(TOOL)
      const options = { approve, config: CONSENT }
      expect(await inTurn(bench(), options, [name], [name, { word: 'more' }]), name).toEqual(['ok', 'ok'])
      expect(approve.questions.length, name).toBe(1)
    }
    const config = { ...CONSENT, 'tools.approval.allowlist': ['writer', 'insisting', 'look'] }
    const listed = await inTurn(bench(), { config }, ['writer'], ['insisting'], ['look'])
    expect(listed).toEqual(['ok', 'approval_denied', 'approval_denied'])
  })

  it.for([
    ['approval mode deny', { 'tools.approval.mode': 'deny' }, 'not_allowed'],
    ['the denylist', { 'tools.approval.denylist': ['writer'] }, 'denylisted'],
    ['the effects that are allowed', { 'tools.approval.allowed_effects': ['read'] }, 'not_allowed'],
    ['a rule', { 'tools.rules': [{ tool: 'writer', type: 'MaxCalls', max: 0 }] }, 'rule_violation'],
    ['the switch', { 'tools.approval.enabled': false }, 'disabled'],
  ] as const)('%s holds over a grant', async ([, config, code]) => {
    const b = bench()
    await inAnother(b, { approve: answering(TOOL) }, (runtime) => runtime.run(batchOf(write('a'))))
    await inAnother(b, { config }, async (runtime) => {
      expect(outcomes(await runtime.run(batchOf(write('b'))))).toEqual([code])
      expect((await runtime.grants()).grants).toMatchObject([{ used: 0 }])
    })
  })

  it('P-ERR-PermissionDenied: a denial names the tool and the scope that consent was wanted for', async () => {
    const runtime = await bench().open({ tools, config: CONSENT, approve: answering('deny') })
    const [result] = await runtime.run(batchOf(['look']))
    expect(result).toMatchObject({
      error: {
        code: 'approval_denied',
        details: { reason: 'denied', tool: 'look', scope: 'the archive' },
      },
      execution: { state: 'DENIED' },
    })
  })

  it('P-ERR-PermissionDenied: a broker that never answers has said no when the time is over', async () => {
    const config = { ...CONSENT, 'tools.permission_timeout_seconds': 0.05 }
    let end: unknown = null
    const runtime = await bench().open({
      tools,
      config,
      approve: (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => (end = signal.reason as unknown))),
    })
    const error = errorOf((await runtime.run(batchOf(['look'])))[0])
    expect(error).toMatchObject({
      code: 'approval_denied',
      details: { reason: 'silence', scope: 'the archive' },
    })
    expect(end).toBe('silence')
    expect((await runtime.grants()).grants).toEqual([])
  })

  it('P-CFG: rules that want consent do not, where tools.require_permissions is false', async () => {
    const config = { ...CONSENT, 'tools.require_permissions': false }
    expect(await inTurn(bench(), { config }, ['look'])).toEqual(['ok'])
  })

  it('a question says why it is asked and what could be allowed, and so does one that waits', async () => {
    const config = { ...CONSENT, 'tools.permission_timeout_seconds': 5 }
    const [first] = await leave(bench(), batchOf(['look']), { tools, config })
    expect(first).toMatchObject({ why: 'RequiresConsent: consent is needed for the archive', rung: null })
    const [second] = await leave(bench(), batchOf(write('src/a')), { tools })
    expect(second?.why).toBe('approval mode is prompt, and the call may change files')
    expect(second?.scopes.map(({ scope }) => scope.kind)).toEqual(['arguments', 'path', 'path', 'tool'])
  })
})

describe('a waiting question', () => {
  it('is answered with a grant, which holds before the batch goes on', async () => {
    const b = bench()
    const [one] = await leave(b, batchOf(write('src/a'), write('src/b')), { tools })
    await inAnother(b, { tools }, async (runtime) => {
      const scope = { kind: 'path', glob: 'src/**' } as const
      const decided = await runtime.decide([one?.id ?? ''], { isApproved: true, seconds: 60, scope })
      expect(decided.open.length).toBe(1)
      expect((await runtime.grants()).grants).toMatchObject([{ scope, used: 0, standing: 'standing' }])
      expect(outcomes(await runtime.run(batchOf(write('src/c')), { session: 'other' }))).toEqual(['ok'])
    })
  })

  it('of a session that another process owns is answered with a grant through that process', async () => {
    const b = bench()
    const options = { approve: 'later', tools } as const
    await inAnother(b, options, async (owner) => {
      await owner.run(batchOf(write('src/a')), { session: 's' })
      await inAnother(b, { tools, actor: { id: 'eve' } }, async (other) => {
        const scope = { kind: 'path', glob: 'src/*' } as const
        const decided = await other.decide('all', { isApproved: true, seconds: 60, scope })
        expect([decided.handed.length, outcomes(decided.results)]).toEqual([1, ['ok']])
      })
      const { grants } = await owner.grants()
      expect(grants).toMatchObject([{ scope: { glob: 'src/*' }, granted_by: 'eve', standing: 'standing' }])
      expect(outcomes(await owner.run(batchOf(write('src/b')), { session: 's' }))).toEqual(['ok'])
    })
  })

  it('stays open where the wish makes no sense for it, and says why', async () => {
    const b = bench()
    const [one] = await leave(b, batchOf(write('src/a')), { tools })
    await inAnother(b, { tools }, async (runtime) => {
      const scope = { kind: 'path', glob: 'lib/**' } as const
      const { faults } = await runtime.decide([one?.id ?? ''], { isApproved: true, scope })
      expect(faults).toEqual([
        { id: one?.id, why: 'was not answered: the scope does not cover the call that was asked about' },
      ])
      expect((await runtime.pending()).length).toBe(1)
      const decided = await runtime.decide('all', { isApproved: true, scope: 'arguments' })
      expect(outcomes(decided.results)).toEqual(['ok'])
      expect((await runtime.grants()).grants).toMatchObject([{ scope: { kind: 'arguments' } }])
    })
  })
})
