import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findScopeFault, readPermission } from '../../../src/policy/grants/answer.ts'
import type { PermissionAnswer } from '../../../src/core/approval.ts'
import { grantFor, indexGrants } from '../../../src/policy/grants/find-grant.ts'
import type { GrantScope } from '../../../src/core/grant.ts'
import { callOf, covers } from './grant-bench.ts'

const WITNESS = { id: 'g1', by: 'ada', now: 1000 }

describe('an answer', () => {
  it('once lets the call run and leaves nothing behind', () => {
    expect(readPermission({ answer: 'once' }, callOf(), WITNESS)).toEqual({
      ok: true,
      isApproved: true,
      say: null,
      grant: null,
    })
  })

  it('no, with words for the model, leaves nothing behind', () => {
    expect(readPermission({ answer: 'deny', say: 'use the other file' }, callOf(), WITNESS)).toEqual({
      ok: true,
      isApproved: false,
      say: 'use the other file',
      grant: null,
    })
  })

  it('for a duration is remembered with its end, to the millisecond', () => {
    const permission = readPermission({ answer: 'duration', seconds: 600 }, callOf(), WITNESS)
    const grant = permission.ok ? permission.grant : null
    expect(grant).toEqual({
      id: 'g1',
      tool: 'write_file',
      scope: { kind: 'tool' },
      sentence: 'write_file may run without a question whatever its arguments.',
      granted_by: 'ada',
      granted_at: 1000,
      expires_at: 601_000,
      used: 0,
      revoked_at: null,
    })
    const index = indexGrants(grant === null ? [] : [grant])
    expect(grantFor(index, callOf(), 600_999)?.id).toBe('g1')
    expect(grantFor(index, callOf(), 601_000)).toBeNull()
  })

  it('for a scope is remembered until it is revoked', () => {
    const scope = { kind: 'path', glob: 'src/**' } as const
    const permission = readPermission({ answer: 'scope', scope }, callOf(), WITNESS)
    const grant = permission.ok ? permission.grant : null
    if (grant === null) throw new Error('nothing was remembered')
    expect(grant.expires_at).toBeNull()
    expect(grantFor(indexGrants([grant]), callOf(), 1e15)).toEqual(grant)
    expect(grantFor(indexGrants([{ ...grant, revoked_at: 2000 }]), callOf(), 1e15)).toBeNull()
  })

  it('P-PRINCIPLE: only an answer that says so is ever remembered', () => {
    const answer: fc.Arbitrary<PermissionAnswer> = fc.oneof(
      fc.constant({ answer: 'once' } as const),
      fc.record({ answer: fc.constant('deny' as const), say: fc.string() }),
      fc.record({ answer: fc.constant('duration' as const), seconds: fc.double() }),
      fc.record({
        answer: fc.constant('scope' as const),
        scope: fc.constantFrom<GrantScope>({ kind: 'tool' }, { kind: 'arguments', digest: 'd9' }),
      }),
    )
    const law = fc.property(answer, (given) => {
      const permission = readPermission(given, callOf(), WITNESS)
      const grant = permission.ok ? permission.grant : null
      if (given.answer === 'once' || given.answer === 'deny') expect(grant).toBeNull()
      if (grant !== null) {
        expect(covers(grant.scope, callOf())).toBe(true)
        expect(grant.expires_at === null).toBe(given.answer === 'scope')
      }
    })
    fc.assert(law)
  })

  it.each([
    [{ answer: 'duration', seconds: 0 }, 'the duration has to be'],
    [{ answer: 'duration', seconds: -1 }, 'the duration has to be'],
    [{ answer: 'duration', seconds: Number.NaN }, 'the duration has to be'],
    [{ answer: 'duration', seconds: Infinity }, 'the duration has to be'],
    [{ answer: 'scope', scope: { kind: 'path', glob: '[' } }, 'the path pattern is not understood'],
    [{ answer: 'scope', scope: { kind: 'path', glob: '../**' } }, 'the path pattern is not understood'],
    [{ answer: 'scope', scope: { kind: 'path', glob: 'docs/**' } }, 'the scope does not cover the call'],
    [{ answer: 'scope', scope: { kind: 'command', words: ['ls'] } }, 'the scope does not cover the call'],
    [{ answer: 'scope', scope: { kind: 'arguments', digest: '' } }, 'the arguments are not named'],
  ] as const)('that makes no sense approves nothing: %j', (answer, why) => {
    const permission = readPermission(answer, callOf(), WITNESS)
    expect(permission.ok ? 'approved' : permission.why).toContain(why)
  })

  it.each([
    [[], 'the command has no words'],
    [[''], 'the command has no words'],
    [['bash', '-c'], 'what follows these words decides'],
    [['sudo'], 'what follows these words decides'],
    [['rm', '-rf'], 'what follows these words decides'],
    [['git', 'reset', '--hard'], 'what follows these words decides'],
    [['git'], 'what follows these words decides'],
    [['make'], 'what follows these words decides'],
    [['./git', 'log'], 'what follows these words decides'],
    [['git', 'log', '--output=x'], 'what follows these words decides'],
  ] as const)('cannot give away a command by its beginning %j', (words, why) => {
    expect(findScopeFault({ kind: 'command', words })).toContain(why)
  })
})
