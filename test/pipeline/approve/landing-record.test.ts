import { describe, expect, it } from 'vitest'
import type { ApprovalAnswer } from '../../../src/core/approval.ts'
import type { AuditEvent } from '../../../src/journal/folds/audit.ts'
import { bench } from '../../bench-folder.ts'

/** What is on record about a command whose changes a person was asked about. */
async function landing(answer: ApprovalAnswer, isLate: boolean) {
  const { open } = bench({ 'a.txt': 'alpha\n' })
  const runtime = await open({ approve: isLate ? 'later' : (requests) => requests.map(() => answer) })
  const args = { cmd: ['sh', '-c', 'echo beta > a.txt'] }
  const [row] = await runtime.run([{ id: 'c1', name: 'run_shell', args }], { session: 's' })
  if (isLate) await runtime.decide('all', { session: 's', isApproved: answer === 'once' })
  const [why] = runtime.why(row?.execution.id ?? '')
  const events: readonly AuditEvent[] = [...runtime.audit()]
  return { finding: why?.gates.at(-1), error: events.at(-1)?.error }
}

describe.for([
  ['at once', false],
  ['later', true],
] as const)('a landing that is answered %s', ([, isLate]) => {
  it('is on record as let land by a person', async () => {
    expect(await landing('once', isLate)).toEqual({
      finding: { gate: 'approval', fact: 'a person saw what it changed and let it land', verdict: 'pass' },
      error: undefined,
    })
  })

  it('is on record as refused by a person', async () => {
    const refused = { gate: 'approval', fact: 'Denied by the user.', verdict: 'deny' }
    expect(await landing('deny', isLate)).toEqual({
      finding: refused,
      error: { code: 'approval_denied', class: 'AuthorizationError', gate: 'approval', reason: refused.fact },
    })
  })
})
