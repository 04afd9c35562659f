import type { PromptResponse } from '@agentclientprotocol/sdk'
import type { ApprovalAnswer, ApprovalRequest, PermissionAnswer } from '../../../core/approval.ts'
import type { EditorSession } from '../editor-session.ts'

/**
 * Asks about calls that have waited, and goes on with their turn. Returns how that ended unless it came to its end, so
 * that something new can be sent.
 */
export async function askAgain(
  session: EditorSession,
  waiting: readonly ApprovalRequest[],
  signal: AbortSignal,
): Promise<PromptResponse | null> {
  const { settings } = session.runtime.configuration
  const answers = await session.questions.approve(waiting, {
    signal,
    seconds: settings['tools.permission_timeout_seconds'],
    grantSeconds: settings['tools.approval.grant_seconds'],
  })
  for (const [index, { id }] of waiting.entries()) {
    const given = answers === 'later' ? answers : (answers[index] ?? 'deny')
    if (given === 'later') continue
    const { faults } = await decide(session, id, given, signal)
    for (const { why } of faults) await session.client.notice('warning', `The question ${id} ${why}.`)
  }
  if (answers === 'later' || answers.some((given) => given === 'later')) {
    if (signal.aborted) return { stopReason: 'cancelled' }
    await session.client.notice('warning', 'Nothing was sent: calls still wait for approval.')
    return { stopReason: 'end_turn', _meta: { tongs: { stop: 'approval_pending' } } }
  }
  const response = await session.runTurn(null, { signal })
  return isOver(response) ? null : response
}

function isOver({ stopReason, _meta }: PromptResponse): boolean {
  const own = _meta?.['tongs']
  const isEnd = typeof own === 'object' && own !== null && 'stop' in own && own.stop === 'end'
  return stopReason === 'end_turn' && isEnd
}

/** Records an answer to a question that waits; the last one of a batch runs it. */
export function decide(
  session: EditorSession,
  approval: string,
  given: ApprovalAnswer,
  signal: AbortSignal,
): ReturnType<EditorSession['runtime']['decide']> {
  const { answer, ...more }: PermissionAnswer = typeof given === 'string' ? { answer: given } : given
  return session.runtime.decide([approval], {
    session: session.id,
    signal,
    ...more,
    isApproved: answer !== 'deny',
  })
}
