import { describe, expect, it } from 'vitest'
import { endingOf, ERRORS, exitCodeOf, toolError, viewError } from '../../src/core/error.ts'
import type { ErrorCode, ErrorFacts } from '../../src/core/error.ts'
import { canMove, NEXT, settle, declare, move } from '../../src/core/lifecycle.ts'

const facts = Object.entries(ERRORS) as [ErrorCode, ErrorFacts][]

describe('the error table', () => {
  it('NFR-ERR-01: errors come in ten kinds, one of which only registration can meet', () => {
    const kinds = new Set(facts.map(([, { kind }]) => kind).filter((kind) => kind !== null))
    expect([...kinds].toSorted()).toEqual([
      'BadArgs',
      'Cancelled',
      'DuplicateToolCallId',
      'ExecutionFailed',
      'PatchFailed',
      'SandboxViolation',
      'StaleFile',
      'Timeout',
      'UnknownTool',
    ])
  })

  it('NFR-ERR-02: a sandbox violation always says which of the five reasons it has', () => {
    const reasons = facts
      .filter(([, { kind }]) => kind === 'SandboxViolation')
      .map(([code]) => viewError(toolError(code, 'x'), 'before').details['reason'])
    expect(reasons.toSorted()).toEqual([
      'DeniedPatternMatched',
      'Denylisted',
      'Disabled',
      'LimitsExceeded',
      'PathOutsideSandbox',
    ])
    expect(viewError(toolError('bad_args', 'x'), 'before').details).toEqual({})
  })

  it.each([
    ['bad_args', 'before', 'FAILED', 'BadArgs', 'validation-error', 'ValidationError'],
    ['bad_args', 'running', 'ROLLED_BACK', 'BadArgs', 'validation-error', 'ValidationError'],
    ['limit_exceeded', 'running', 'ROLLED_BACK', 'SandboxViolation', 'validation-error', 'ValidationError'],
    ['denylisted', 'before', 'DENIED', 'SandboxViolation', 'permission-error', 'AuthorizationError'],
    [
      'path_outside_sandbox',
      'before',
      'DENIED',
      'SandboxViolation',
      'validation-error',
      'AuthorizationError',
    ],
    [
      'denied_pattern',
      'running',
      'ROLLED_BACK',
      'SandboxViolation',
      'validation-error',
      'AuthorizationError',
    ],
    ['patch_failed', 'before', 'FAILED', 'PatchFailed', 'validation-error', 'ValidationError'],
    ['patch_failed', 'running', 'ROLLED_BACK', 'PatchFailed', 'validation-error', 'ExecutionError'],
    ['execution_failed', 'running', 'ROLLED_BACK', 'ExecutionFailed', 'file-error', 'ExecutionError'],
    ['execution_failed', 'process', 'ABORTED', 'ExecutionFailed', 'process-error', 'ExecutionError'],
    ['timeout', 'running', 'ROLLED_BACK', 'Timeout', 'file-error', 'TimeoutError'],
    ['timeout', 'process', 'ABORTED', 'Timeout', 'process-error', 'TimeoutError'],
    ['cancelled', 'before', 'ROLLED_BACK', 'Cancelled', 'file-error', 'ExecutionError'],
    ['output_invalid', 'running', 'ROLLED_BACK', 'ExecutionFailed', 'file-error', 'ValidationError'],
    ['stale_file', 'running', 'ROLLED_BACK', 'StaleFile', 'validation-error', 'StateError'],
    ['resource_exhausted', 'before', 'FAILED', null, 'file-error', 'ResourceError'],
    ['skipped', 'before', 'FAILED', null, 'permission-error', 'StateError'],
  ] as const)('%s met %s ends in %s as %s, %s, %s', (code, phase, state, kind, type, errorClass) => {
    const view = viewError(toolError(code, 'x'), phase)
    expect({ state: endingOf(code, phase), kind: view.kind, type: view.type, class: view.class }).toEqual({
      state,
      kind,
      type,
      class: errorClass,
    })
  })

  it.each([
    [[], 0],
    [['denied_pattern'], 3],
    [['denied_pattern', 'bad_args'], 1],
    [['denied_pattern', 'bad_args', 'approval_required'], 4],
    [['approval_required', 'cancelled', 'bad_args'], 130],
  ] as const)('the codes %j exit with %i', (codes, exit) => {
    expect(exitCodeOf(codes)).toBe(exit)
  })
})

describe('the lifecycle', () => {
  it('every ending an error names can be reached from where it is met, by legal moves', () => {
    const validated = move(declare(1), 'VALIDATED', 2)
    const executing = move(move(validated, 'AUTHORIZED', 3), 'EXECUTING', 4)
    for (const [code] of facts) {
      for (const [trace, phase] of [
        [validated, 'before'],
        [executing, 'running'],
        [executing, 'process'],
      ] as const) {
        const { moves } = settle(trace, endingOf(code, phase), 9)
        for (const [index, { state }] of moves.slice(1).entries())
          expect(canMove(moves[index]?.state ?? 'DECLARED', state)).toBe(true)
      }
    }
  })

  it('what has ended stays where it is', () => {
    for (const state of ['COMPLETED', 'FAILED', 'DENIED', 'ROLLED_BACK'] as const)
      expect(NEXT[state]).toEqual([])
  })
})
