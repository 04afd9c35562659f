import { SUMMARY_CHARS } from '../../config/fixed-values.ts'
import type { ApprovalRequest } from '../../core/approval.ts'
import type { ToolError } from '../../core/error.ts'
import { redactForApproval, redactObject, redactSecrets } from '../../core/text/secrets/redact.ts'
import { REDACTED } from '../../core/text/secrets/secret-names.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { ask } from '../approve/ask.ts'
import type { Question } from '../approve/question.ts'
import type { Run } from '../engine.ts'
import type { Ending, Finish } from '../execute/ending.ts'
import { withFinding } from '../step.ts'

/** The note in a result from which secrets were removed. */
export const TAKEN_OUT =
  'Text that looks like a secret was removed from this result before you received it. Do not write [redacted] back.'

const GATE = 'secrets'
const MOST_LINES = 5

/**
 * Decides whether results that contain secrets may go to a model. Results of a person's own calls are not affected, and
 * the call itself has already run: only what the model receives changes.
 */
export async function shieldSecrets(
  batch: string,
  endings: readonly Ending[],
  run: Run,
): Promise<readonly Ending[]> {
  const { engine } = run
  const setting = engine.settings['secrets.to_model']
  if (setting === 'allow') return endings
  const known = engine.knownSecrets()
  const cleaned = endings.map((ending) => clean(ending.end, known))
  const open = endings.filter((ending, index) => cleaned[index] !== ending.end)
  if (open.length === 0) return endings
  const agreed = setting === 'ask' ? await askToShow(batch, open, known, run) : new Map<Ending, string>()
  return endings.map((ending, index) => {
    const end = cleaned[index]
    if (end === undefined || end === ending.end) return ending
    const by = agreed.get(ending)
    const fact =
      by === undefined
        ? `the result contained secrets, which were removed before it went to the model (secrets.to_model is ${setting})`
        : `the result contains secrets, and ${by} agreed to send it to the model unchanged`
    const step = withFinding(ending.step, { gate: GATE, fact, verdict: 'pass' })
    return by === undefined ? { ...ending, step, shown: end } : { ...ending, step }
  })
}

/** The same end with secrets redacted; the same object if there are none. */
function clean(end: Finish, known: readonly string[]): Finish {
  if (!end.ok) {
    const error = cleanError(end.error, known)
    return error === end.error ? end : { ...end, error }
  }
  const output = redactObject(end.output, known)
  return output === end.output ? end : { ...end, output: { ...output, redacted: TAKEN_OUT } }
}

function cleanError(error: ToolError, known: readonly string[]): ToolError {
  const message = redactSecrets(error.message, known)
  const details = redactObject(error.details, known)
  const recovery = error.recovery.map((line) => redactSecrets(line, known))
  const isClean = recovery.every((line, index) => line === error.recovery[index])
  if (message === error.message && details === error.details && isClean) return error
  return { ...error, message: `${message}\n${TAKEN_OUT}`, details, recovery }
}

/** Asks about the results of a group at once; without an approver the secrets are removed. */
async function askToShow(
  batch: string,
  open: readonly Ending[],
  known: readonly string[],
  run: Run,
): Promise<ReadonlyMap<Ending, string>> {
  if (run.approve === null) return new Map()
  const questions = open.map((ending) => makeQuestion(ending, known, run))
  const steps = open.map(({ step }) => step)
  const { answers } = await ask(questions, { batch, steps, whileRunning: true }, run)
  return new Map(
    open.flatMap((ending, index) => {
      const decision = answers.get(questions[index]?.request.id ?? '')
      return decision?.isApproved === true ? [[ending, decision.actor?.id ?? 'a person'] as const] : []
    }),
  )
}

function makeQuestion({ step, end }: Ending, known: readonly string[], run: Run): Question {
  const { engine } = run
  const { call } = step
  const now = engine.clock.now()
  const summary = summarise(end, known)
  const request: ApprovalRequest = {
    id: engine.newId(),
    session: run.log.key.name,
    call: { id: call.id, name: call.name, args: call.args },
    execution: call.execution,
    about: 'result',
    summary,
    risk: 'High',
    danger: null,
    diff: null,
    asked_at: now,
    expires_at: now + engine.settings['tools.permission_timeout_seconds'] * 1000,
    why: 'secrets.to_model is ask, and the result appears to contain secrets',
    rung: null,
    scopes: [],
    note: 'The call has already run. Yes sends its result to the model unchanged; no removes the secrets first.',
  }
  const binding = engine.digest(JSON.stringify({ about: 'result', execution: call.execution, summary }))
  return { step, request, agreement: { binding, offer: request } }
}

/** The affected lines, without the secrets themselves. */
function summarise(end: Finish, known: readonly string[]): string {
  const texts = end.ok ? textsIn(end.output) : textsOf(end.error)
  const lines = texts.flatMap((text) =>
    redactSecrets(text, known)
      .split('\n')
      .filter((line) => line.includes(REDACTED)),
  )
  const shown = redactForApproval(`Send this to the model: ${lines.slice(0, MOST_LINES).join(' / ')}`, known)
  return elideMiddle(sanitise(shown, { oneLine: true, showSequences: true }), SUMMARY_CHARS)
}

function textsOf({ message, details, recovery }: ToolError): readonly string[] {
  return [message, ...textsIn(details), ...recovery]
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
