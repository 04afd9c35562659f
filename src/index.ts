export type {
  ApprovalAnswer,
  ApprovalAnswers,
  ApprovalRequest,
  Approver,
  Asking,
  OfferedScope,
  PermissionAnswer,
} from './core/approval.ts'
export type { BusySession, OnBusy, SessionWait } from './core/busy-session.ts'
export { CAPABILITIES } from './core/capability.ts'
export type { Capability } from './core/capability.ts'
export type { Actor, CallMeta, Origin, ToolCall } from './core/call.ts'
export { fromDeclaration } from './tools/define/declaration.ts'
export type { ToolDeclaration } from './tools/define/declaration.ts'
export { defineTool } from './tools/define/define-tool.ts'
export { ERRORS, failure, ToolFailure } from './core/error.ts'
export type { ErrorCode, ErrorView, ToolError } from './core/error.ts'
export type { Grant, GrantScope } from './core/grant.ts'
export type { IsolatedContext, IsolationSpec } from './core/isolation.ts'
export type { JsonObject, JsonValue } from './core/json/value.ts'
export { NEXT } from './core/lifecycle.ts'
export type { State } from './core/lifecycle.ts'
export type { Edits, Files, OpenedFile, WalkEntry } from './core/powers.ts'
export type { ToolDefinition } from './core/registry.ts'
export type { Continuation, ToolResult } from './core/result.ts'
export * as schema from './schema/schema.ts'
export type { CallContext, Claim, DeclaredRule, Effect, Risk, Tool } from './core/tool.ts'
export type { ToolSpec } from './tools/define/tool-spec.ts'
export type { AuditError, AuditEvent } from './journal/folds/audit.ts'
export type { Statistics } from './journal/folds/statistics.ts'
export type { VerifyReport } from './journal/chain/verify-report.ts'
export type { ErrorPhase, ErrorReport } from './pipeline/error-report.ts'
export type { LiveEvent } from './pipeline/engine.ts'
export type { CheckedCall, PolicyVerdict } from './pipeline/after/judge-only.ts'
export type { Replayed, ReplayedCall, UnjudgedCall } from './pipeline/after/replay.ts'
export { ConfigurationError } from './runtime/configure/configuration-error.ts'
export { createRuntime } from './runtime/create-runtime.ts'
export type { RunOptions, Runtime, RuntimeOptions, TurnEnd } from './runtime/create-runtime.ts'
export type { GivenRule, ShownRule } from './runtime/configure/load-rules.ts'
export type { GrantsReport, Revocation, ShownGrant } from './runtime/approvals/grants.ts'
export type { ErrorHandler } from './runtime/observe/outside-code.ts'
export type { TelemetryOptions } from './runtime/observe/telemetry.ts'
export * from './agent.ts'
