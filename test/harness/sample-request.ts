import type { ApprovalRequest } from '../../src/core/approval.ts'

/** A question with nothing special about it, but for what is given. */
export function requestOf(changes: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: 'q1',
    kind: 'call',
    session: 'cli',
    call: { id: 'c1', name: 'tool', args: {} },
    execution: 'e1',
    summary: 'Does something',
    risk: 'Medium',
    diff: null,
    why: '',
    danger: null,
    rung: null,
    scopes: [],
    asked_at: 0,
    expires_at: 1,
    ...changes,
  }
}
