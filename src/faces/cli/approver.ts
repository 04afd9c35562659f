import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../core/approval.ts'
import type { Mailbox } from '../../runtime/mailbox.ts'
import { askOnTerminal } from './approval-prompt.ts'
import type { ParsedLine } from './arguments.ts'
import { hasTerminal } from './prompt-terminal.ts'

const LOOK_MS = 200

/** Who answers questions for a command line: --yes says once to everything, a person at the terminal is asked, else they wait. */
export function approverFor(line: ParsedLine, mailbox: Mailbox): Approver {
  if (line.has('--yes')) return (requests) => requests.map(() => 'once' as const)
  if (line.has('--no-input') || !hasTerminal()) return () => 'later'
  const ask = async (requests: readonly ApprovalRequest[]): Promise<readonly ApprovalAnswer[] | 'later'> => {
    const stop = new AbortController()
    try {
      return await Promise.race([
        askOnTerminal(requests, stop.signal),
        answersFromElsewhere(requests, mailbox, stop.signal),
      ])
    } finally {
      stop.abort()
    }
  }
  return Object.assign(ask, { isAttended: true })
}

/** Answers that another process left for this one, once there is one for every question. */
async function answersFromElsewhere(
  requests: readonly ApprovalRequest[],
  mailbox: Mailbox,
  signal: AbortSignal,
): Promise<readonly ApprovalAnswer[]> {
  const found = new Map<string, ApprovalAnswer>()
  while (!signal.aborted) {
    for (const { id } of requests) {
      const decision = found.has(id) ? null : mailbox.take(id)
      if (decision === null) continue
      found.set(
        id,
        decision.isApproved
          ? 'once'
          : { answer: 'deny', ...(decision.say === null ? {} : { say: decision.say }) },
      )
    }
    if (found.size === requests.length) return requests.map(({ id }) => found.get(id) ?? 'deny')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return []
}
