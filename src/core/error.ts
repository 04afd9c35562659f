import type { JsonObject } from './json/value.ts'
import { settle } from './lifecycle.ts'
import type { State, Trace } from './lifecycle.ts'

/** The error kinds of the executor vocabulary; null if none fits. */
export type Kind =
  | 'BadArgs'
  | 'Timeout'
  | 'SandboxViolation'
  | 'ExecutionFailed'
  | 'Cancelled'
  | 'UnknownTool'
  | 'DuplicateTool'
  | 'DuplicateToolCallId'
  | 'PatchFailed'
  | 'StaleFile'

/** Why a sandbox violation happened; stands in `details.reason`. */
export type DenialReason =
  | 'Denylisted'
  | 'Disabled'
  | 'PathOutsideSandbox'
  | 'DeniedPatternMatched'
  | 'LimitsExceeded'

/** The coarse type that the fenced protocol shows. */
export type ErrorType = 'validation-error' | 'permission-error' | 'file-error' | 'process-error'

/** The class that decides about retries and audit. */
export type ErrorClass =
  | 'ValidationError'
  | 'AuthorizationError'
  | 'ResourceError'
  | 'ExecutionError'
  | 'TimeoutError'
  | 'StateError'

/** What is fixed about an error code: its projections, the state it ends in and the exit code. */
export interface ErrorFacts {
  readonly kind: Kind | null
  readonly reason?: DenialReason
  readonly type: ErrorType
  /** The type when a process was running; the same as `type` if absent. */
  readonly processType?: ErrorType
  readonly class: ErrorClass
  /** The class when the error was met while running; the same as `class` if absent. */
  readonly runningClass?: ErrorClass
  /** Where the call ends when the error is met before it runs. */
  readonly before: State
  /** Where it ends when met while running. */
  readonly running: State
  /** Where a call that started a process ends; the same as `running` if absent. */
  readonly process?: State
  /** Whether it cuts a running call short: the call is aborted first, and then rolled back. */
  readonly aborts?: true
  readonly exit: 1 | 3 | 4 | 130
}

const invalid = {
  type: 'validation-error',
  class: 'ValidationError',
  before: 'FAILED',
  running: 'ROLLED_BACK',
  exit: 1,
} as const
const denied = {
  kind: null,
  type: 'permission-error',
  class: 'AuthorizationError',
  before: 'DENIED',
  running: 'ROLLED_BACK',
  exit: 3,
} as const
const outside = {
  kind: 'SandboxViolation',
  type: 'validation-error',
  class: 'AuthorizationError',
  before: 'DENIED',
  running: 'ROLLED_BACK',
  exit: 3,
} as const
const failed = {
  kind: 'ExecutionFailed',
  type: 'file-error',
  processType: 'process-error',
  class: 'ExecutionError',
  before: 'FAILED',
  running: 'ROLLED_BACK',
  process: 'ABORTED',
  exit: 1,
} as const
const unstarted = {
  kind: null,
  type: 'permission-error',
  class: 'StateError',
  before: 'FAILED',
  running: 'ROLLED_BACK',
  exit: 1,
} as const
const notice = {
  kind: null,
  type: 'permission-error',
  class: 'AuthorizationError',
  before: 'VALIDATED',
  running: 'VALIDATED',
  exit: 4,
} as const

/** Every error code with what is fixed about it. A code without a row does not compile. */
export const ERRORS = {
  bad_args: { ...invalid, kind: 'BadArgs' },
  unknown_tool: { ...invalid, kind: 'UnknownTool' },
  duplicate_tool_call_id: { ...invalid, kind: 'DuplicateToolCallId' },
  limit_exceeded: { ...invalid, kind: 'SandboxViolation', reason: 'LimitsExceeded' },
  disabled: { ...denied, kind: 'SandboxViolation', reason: 'Disabled' },
  denylisted: { ...denied, kind: 'SandboxViolation', reason: 'Denylisted' },
  not_allowed: denied,
  rule_violation: denied,
  deduplicated: denied,
  capability_denied: denied,
  approval_denied: denied,
  path_outside_sandbox: { ...outside, reason: 'PathOutsideSandbox' },
  denied_pattern: { ...outside, reason: 'DeniedPatternMatched' },
  approval_required: notice,
  held: notice,
  stale_file: {
    kind: 'StaleFile',
    type: 'validation-error',
    class: 'StateError',
    before: 'FAILED',
    running: 'ROLLED_BACK',
    exit: 1,
  },
  patch_failed: { ...invalid, kind: 'PatchFailed', runningClass: 'ExecutionError' },
  execution_failed: failed,
  timeout: { ...failed, kind: 'Timeout', class: 'TimeoutError', aborts: true },
  cancelled: { ...failed, kind: 'Cancelled', before: 'ROLLED_BACK', aborts: true, exit: 130 },
  output_invalid: { ...failed, class: 'ValidationError' },
  crashed: failed,
  skipped: unstarted,
  not_started: unstarted,
  discarded: unstarted,
  in_doubt: {
    kind: null,
    type: 'process-error',
    class: 'StateError',
    before: 'ABORTED',
    running: 'ABORTED',
    exit: 1,
  },
  resource_exhausted: {
    kind: null,
    type: 'file-error',
    class: 'ResourceError',
    before: 'FAILED',
    running: 'ROLLED_BACK',
    aborts: true,
    exit: 1,
  },
} as const satisfies Record<string, ErrorFacts>

/** The codes programs switch on. */
export type ErrorCode = keyof typeof ERRORS

/** What went wrong, where, and what to do next. */
export interface ToolError {
  readonly code: ErrorCode
  readonly message: string
  readonly details: JsonObject
  readonly recovery: readonly string[]
}

/** The one exception that effectful rooms and tools throw; anything else counts as a crash. */
export class ToolFailure extends Error {
  readonly error: ToolError

  constructor(error: ToolError) {
    super(error.message)
    this.name = 'ToolFailure'
    this.error = error
  }
}

/** Makes an error; details and recovery may be left out. */
export function toolError(
  code: ErrorCode,
  message: string,
  details: JsonObject = {},
  recovery: readonly string[] = [],
): ToolError {
  return { code, message, details, recovery }
}

/** Makes the exception that carries an error. */
export function failure(
  code: ErrorCode,
  message: string,
  details: JsonObject = {},
  recovery: readonly string[] = [],
): ToolFailure {
  return new ToolFailure(toolError(code, message, details, recovery))
}

/** The error of a call that a person stopped. */
export function cancelledError(details: JsonObject = {}): ToolError {
  return toolError('cancelled', 'Cancelled by user', details)
}

/** How far a call had come when the error was met; what a process on a layer did is undone by dropping the layer. */
export type Phase = 'before' | 'running' | 'process' | 'layer'

/** The state in which a call with this error ends. */
export function endingOf(code: ErrorCode, phase: Phase): State {
  const facts: ErrorFacts = ERRORS[code]
  if (phase === 'before') return facts.before
  return phase === 'process' ? (facts.process ?? facts.running) : facts.running
}

/** Extends a trace to the state that an error leads to. */
export function endWith(trace: Trace, code: ErrorCode, phase: Phase, at: number): Trace {
  const { aborts }: ErrorFacts = ERRORS[code]
  const cut = aborts === true && trace.now === 'EXECUTING' ? settle(trace, 'ABORTED', at) : trace
  return settle(cut, endingOf(code, phase), at)
}

/** An error as callers see it, with its projections. */
export interface ErrorView {
  readonly code: ErrorCode
  readonly kind: Kind | null
  readonly type: ErrorType
  readonly class: ErrorClass
  readonly message: string
  readonly details: JsonObject
  readonly recovery: readonly string[]
}

/** Adds the projections of the table to an error. */
export function viewError(error: ToolError, phase: Phase): ErrorView {
  const facts: ErrorFacts = ERRORS[error.code]
  return {
    code: error.code,
    kind: facts.kind,
    type: phase === 'process' || phase === 'layer' ? (facts.processType ?? facts.type) : facts.type,
    class: phase === 'before' ? facts.class : (facts.runningClass ?? facts.class),
    message: error.message,
    details: facts.reason === undefined ? error.details : { ...error.details, reason: facts.reason },
    recovery: error.recovery,
  }
}

/** The exit code of a batch: the first that applies of cancelled, waiting, failed, denied, done. */
export function exitCodeOf(codes: Iterable<ErrorCode>): 0 | 1 | 3 | 4 | 130 {
  const seen = new Set<number>()
  for (const code of codes) seen.add(ERRORS[code].exit)
  for (const exit of [130, 4, 1, 3] as const) if (seen.has(exit)) return exit
  return 0
}
