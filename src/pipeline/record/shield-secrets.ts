import { SUMMARY_CHARS } from '../../config/fixed-values.ts'
import type { ApprovalRequest, OfferedScope } from '../../core/approval.ts'
import type { ToolError } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { HiddenPart } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import { redactAndList, redactForApproval } from '../../core/text/secrets/redact.ts'
import type { Hidden, RedactionRules } from '../../core/text/secrets/redact.ts'
import { redactObject } from '../../core/text/secrets/redact-object.ts'
import type { HiddenListener } from '../../core/text/secrets/redact-object.ts'
import { REDACTED } from '../../core/text/secrets/secret-names.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { showPath } from '../../core/text/display/show-path.ts'
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
const MOST_PLACES = 20
const MOST_REMEMBERED = 32

/**
 * Decides whether results that contain secrets may go to a model. Results of a person's own calls are not affected, and
 * the call itself has already run: only what the model receives changes.
 */
export function shieldSecrets(batch: string, endings: readonly Ending[], run: Run): Soon<readonly Ending[]> {
  const { engine } = run
  const setting = engine.settings['secrets.to_model']
  if (setting === 'allow') return endings
  const cleaned = endings.map((ending) => clean(ending, run))
  const open = cleaned.filter(({ end, ending }) => end !== ending.end)
  if (open.length === 0) return endings
  return goOnWith(setting === 'ask' ? askToShow(batch, open, run) : NO_ONE, (agreed) =>
    cleaned.map((one) => showAgreed(one, agreed.get(one.ending), setting)),
  )
}

const NO_ONE: ReadonlyMap<Ending, string> = new Map()

/** The ending without its secrets, unless someone agreed to send them. */
function showAgreed({ ending, end, hidden }: Cleaned, by: string | undefined, setting: string): Ending {
  if (end === ending.end) return ending
  const fact =
    by === undefined
      ? `the result contained secrets, which were removed before it went to the model (secrets.to_model is ${setting})`
      : `the result contains secrets, and ${by} agreed to send it to the model unchanged`
  const step = withFinding(ending.step, { gate: GATE, fact, verdict: 'pass' })
  return by === undefined ? { ...ending, step, shown: end, hidden } : { ...ending, step }
}

/** An ending with its secrets redacted. */
interface Cleaned {
  readonly ending: Ending
  /** The same object if there are none. */
  readonly end: Finish
  readonly hidden: readonly HiddenPart[]
  /** What was taken for a secret only because it looks like one. Never stored or shown. */
  readonly guessed: ReadonlySet<string>
}

function clean(ending: Ending, { engine }: Run): Cleaned {
  const guessed = new Set<string>()
  const hidden: HiddenPart[] = [...(ending.hidden ?? [])]
  const isAllowed = (value: string): boolean => {
    const isAllowedNow = engine.grants.isNoSecret(value)
    if (!isAllowedNow) guessed.add(value)
    return isAllowedNow
  }
  const { findKeyLines } = ending
  let known: readonly string[] | null = null
  const rules = {
    // Once for a result, and only if there is text to look for them in: all variables of the process are looked at.
    get known() {
      return (known ??= engine.knownSecrets())
    },
    isAllowed,
    ...(findKeyLines === undefined ? {} : { findKeyLines }),
  }
  const onHidden: HiddenListener = (one, within) => hidden.push(locate(one, within, ending))
  return { ending, end: cleanEnd(ending.end, rules, onHidden), hidden, guessed }
}

/** Where a secret was: in the file that its object or else the call names, counted from the first line shown. */
function locate({ line, kind, characters }: Hidden, within: JsonObject, { step }: Ending): HiddenPart {
  const { range, path, line: ownLine } = within
  const first = isJsonObject(range) ? Number(range['start_line']) : Number(ownLine ?? 1)
  const file = path ?? step.call.args['path']
  return {
    file: typeof file === 'string' ? file : null,
    line: line + (Number.isSafeInteger(first) ? first - 1 : 0),
    kind,
    characters,
  }
}

/** The same end with secrets redacted; the same object if there are none. */
function cleanEnd(end: Finish, rules: RedactionRules, onHidden: HiddenListener): Finish {
  if (!end.ok) {
    const error = cleanError(end.error, rules, onHidden)
    return error === end.error ? end : { ...end, error }
  }
  const output = redactObject(end.output, rules, onHidden)
  return output === end.output ? end : { ...end, output: { ...output, redacted: TAKEN_OUT } }
}

function cleanError(error: ToolError, rules: RedactionRules, onHidden: HiddenListener): ToolError {
  const texts: JsonObject = { message: error.message, recovery: [...error.recovery] }
  const cleaned = redactObject(texts, rules, onHidden)
  const details = redactObject(error.details, rules, onHidden)
  if (cleaned === texts && details === error.details) return error
  const recovery = (cleaned['recovery'] as readonly JsonValue[]).map(String)
  return { ...error, message: `${String(cleaned['message'])}\n${TAKEN_OUT}`, details, recovery }
}

/** Asks about the results of a group at once; without an approver the secrets are removed. */
async function askToShow(
  batch: string,
  open: readonly Cleaned[],
  run: Run,
): Promise<ReadonlyMap<Ending, string>> {
  if (run.approve === null) return new Map()
  await run.held?.flush()
  const questions = open.map((cleaned) => makeQuestion(cleaned, run))
  const steps = open.map(({ ending }) => ending.step)
  const { answers } = await ask(questions, { batch, steps, whileRunning: true }, run)
  return new Map(
    open.flatMap(({ ending }, index) => {
      const decision = answers.get(questions[index]?.request.id ?? '')
      return decision?.isApproved === true ? [[ending, decision.actor?.id ?? 'a person'] as const] : []
    }),
  )
}

function makeQuestion(cleaned: Cleaned, run: Run): Question {
  const { step, end, findKeyLines } = cleaned.ending
  const { engine } = run
  const { call } = step
  const now = engine.clock.now()
  const summary = summarise(end, {
    known: engine.knownSecrets(),
    ...(findKeyLines === undefined ? {} : { findKeyLines }),
  })
  const request: ApprovalRequest = {
    id: engine.newId(),
    kind: 'call',
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
    scopes: offerToRemember(cleaned, run),
    note: `The call has already run. Yes sends its result to the model unchanged; no removes the secrets first: ${listHidden(cleaned.hidden)}.`,
  }
  const binding = engine.digest(JSON.stringify({ about: 'result', execution: call.execution, summary }))
  return { step, request, agreement: { binding, offer: request } }
}

/** Values that were only guessed may be remembered as no secrets; those that commands are not given may not. */
function offerToRemember({ hidden, guessed }: Cleaned, { engine }: Run): readonly OfferedScope[] {
  if (guessed.size === 0 || guessed.size > MOST_REMEMBERED) return []
  const digests = [...guessed].map((value) => engine.grants.hashValue(value)).toSorted()
  const kinds = [...new Set(hidden.map(({ kind, characters }) => `${kind}, ${characters} characters`))]
  const what = digests.length === 1 ? 'this value' : `these ${digests.length} values`
  const sentence = `Not a secret, remember: ${what} (${kinds.join('; ')}) may go to models without a question.`
  return [{ scope: { kind: 'values', digests }, sentence }]
}

/** All that a yes would send, by kind and place: the lines of a summary may be only the first of many. */
function listHidden(hidden: readonly HiddenPart[]): string {
  const byPlace = Map.groupBy(hidden, ({ kind, file }) =>
    file === null ? `${kind} in the result` : `${kind} in ${showPath(file)}`,
  )
  const rows = [...byPlace].map(([what, parts]) => {
    const lines = [...new Set(parts.map(({ line }) => line))]
    const more = lines.length > MOST_PLACES ? ` and ${lines.length - MOST_PLACES} more` : ''
    return `${what}, ${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, MOST_PLACES).join(', ')}${more}`
  })
  const left = rows.length - MOST_PLACES
  return [...rows.slice(0, MOST_PLACES), ...(left > 0 ? [`and in ${left} more places`] : [])].join('; ')
}

/** The affected lines, without the secrets themselves; if there are many, the first of them, counted. */
function summarise(end: Finish, rules: RedactionRules): string {
  const texts = end.ok ? textsIn(end.output) : textsOf(end.error)
  const lines = texts.flatMap((text) =>
    redactAndList(text, rules)
      .text.split('\n')
      .filter((line) => line.includes(REDACTED)),
  )
  const count = lines.length > MOST_LINES ? ` (${lines.length} lines, the first ${MOST_LINES} shown)` : ''
  const shown = redactForApproval(
    `Send this to the model${count}: ${lines.slice(0, MOST_LINES).join(' / ')}`,
    { known: rules.known },
  )
  return elideMiddle(sanitise(shown, { oneLine: true, showSequences: true }), SUMMARY_CHARS)
}

function textsOf({ message, details, recovery }: ToolError): readonly string[] {
  return [message, ...textsIn(details), ...recovery]
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
