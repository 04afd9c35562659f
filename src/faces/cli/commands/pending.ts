import type { ApprovalRequest } from '../../../core/approval.ts'
import { placesIn } from '../../../core/text/secrets/places.ts'
import { ellipsis } from '../../../core/text/truncate.ts'
import type { WaitingForResult } from '../../../runtime/approvals/approvals.ts'
import { drawRequest, ONLY_REQUEST } from '../../../terminal/approval-screen.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { choosableHunks } from '../../../terminal/hunk-choice.ts'
import type { ParsedLine } from '../arguments.ts'
import { chosenSession } from '../chosen-session.ts'
import { openRuntime } from '../open.ts'
import { showResults } from '../show-results.ts'
import { stopBatchOnSignals } from '../signals.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'
import { readGrantOptions, readHunks, wordFor } from '../prompts/grant-options.ts'

const ARGUMENT_CHARS = 200

/** `tongs pending`: lists the calls that are waiting for approval or for a person's result. */
export async function pending(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const which = chosenSession(line, runtime, terminal)
    const approvals = await runtime.pending(which)
    const held = await runtime.held(which)
    if (line.has('--json')) terminal.json({ approvals: [...approvals, ...held.map(asRow)], held })
    else if (approvals.length + held.length === 0) terminal.print('Nothing is waiting for approval.')
    else {
      for (const request of approvals) showRequest(request, terminal)
      for (const call of held) showHeld(call, terminal)
    }
    return 0
  } finally {
    await runtime.close()
  }
}

/** `tongs approve ID…|all [--for SECONDS] [--scope SCOPE] [--hunks LIST]`: approves waiting calls, once, for longer, or in part. */
export async function approve(line: ParsedLine, terminal: Terminal): Promise<number> {
  return decide(true, line, terminal)
}

/** `tongs deny ID…|all [--say TEXT]`: denies waiting calls, with a message for the model. */
export async function deny(line: ParsedLine, terminal: Terminal): Promise<number> {
  return decide(false, line, terminal)
}

async function decide(isApproved: boolean, line: ParsedLine, terminal: Terminal): Promise<number> {
  const ids = line.words.includes('all') ? 'all' : line.words
  if (ids === 'all' && line.words.length > 1)
    throw new UsageError('all cannot be combined with ids', 'give ids, or all')
  const grant = isApproved ? { ...readGrantOptions(line), ...readHunks(line) } : {}
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopBatchOnSignals(stop, terminal)
  try {
    const which = chosenSession(line, runtime, terminal)
    const say = line.value('--say')
    const { results, open, handed, faults } = await runtime.decide(ids, {
      isApproved,
      ...grant,
      signal: stop.signal,
      ...which,
      ...(say === undefined ? {} : { say }),
    })
    const held = faults.length === 0 ? [] : await runtime.held(which)
    for (const { id, why } of faults) {
      const answer = held.find(({ execution }) => execution === id)?.answer
      const instead = `waits for its result, not for a yes or a no; supply it with ${safe(answer ?? '')}`
      terminal.warn(`tongs: ${ellipsis(id, 40)} ${answer === undefined ? why : instead}`)
    }
    if (faults.length > 0 && results.length === 0) return 1
    if (handed.length > 0) terminal.warn('tongs: the process that has the session recorded the answer')
    else if (results.length === 0 && !line.has('--json')) terminal.print('Nothing is waiting for approval.')
    const exit = showResults(results, line.has('--json'), terminal)
    if (open.length > 0 && !line.has('--json')) for (const request of open) showRequest(request, terminal)
    if (faults.length > 0) return 1
    return open.length > 0 ? 4 : exit
  } finally {
    await runtime.close()
    release()
  }
}

/** A held call beside the questions, with the same fields; no one is asked about it, and it does not expire. */
function asRow({ id, name, args, ...held }: WaitingForResult): object {
  const summary = `${name} waits for its result`
  const unasked = { risk: null, diff: null, asked_at: null, expires_at: null }
  return { ...held, id: held.execution, call: { id, name, args }, summary, ...unasked }
}

function showHeld({ session, name, args, answer, damaged }: WaitingForResult, terminal: Terminal): void {
  const shown = oneLine(ellipsis(JSON.stringify(args), ARGUMENT_CHARS), placesIn(args))
  terminal.print(`${safeWords(name)} ${shown}\n  session ${safe(session)}, waits for its result`)
  if (damaged !== undefined) terminal.print(`  it takes no result, because ${damaged}`)
  const what = damaged === undefined ? 'supply it with' : 'end it with'
  terminal.print(`  ${what} ${terminal.paint('bold', safe(answer))}`)
}

function showRequest(request: ApprovalRequest, terminal: Terminal): void {
  const until = new Date(request.expires_at).toISOString()
  const { text, isCut } = drawRequest(request, ONLY_REQUEST, terminal)
  terminal.print(`${text.trim()}\n  session ${safe(request.session)}, waits until ${until}`)
  if (request.damaged !== undefined) {
    terminal.print(`  answer with ${terminal.paint('bold', `tongs deny ${safe(request.id)}`)}`)
    return
  }
  terminal.print(`  answer with ${terminal.paint('bold', `tongs approve ${safe(request.id)}`)} or tongs deny`)
  if (request.kind === 'landing') terminal.print('  a yes lands it, a no discards it')
  if (choosableHunks(request) > 0) terminal.print('  to take only some hunks: --hunks 1,3-5')
  const scopes = request.scopes.flatMap(({ scope }) => wordFor(scope) ?? [])
  if (scopes.length > 0)
    terminal.print(`  to allow more: --for SECONDS, --scope ${scopes.map(safe).join(' or ')}`)
  if (isCut) terminal.print('  all of it is in tongs pending --json')
}
