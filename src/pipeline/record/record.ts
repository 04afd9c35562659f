import { endWith } from '../../core/error.ts'
import type { Phase, ToolError } from '../../core/error.ts'
import { settle } from '../../core/lifecycle.ts'
import type { OutputStyle, Tool } from '../../core/tool.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { Execution, ToolResult } from '../../core/result.ts'
import { goOnWith } from '../../core/wait.ts'
import type { Soon } from '../../core/wait.ts'
import type { Content } from '../../journal/entries/content.ts'
import type { Digest, SeenFile, SettledEntry } from '../../journal/entries/entry.ts'
import { formatResult } from '../../journal/entries/stored-result.ts'
import { continuationOf } from '../../policy/rules/continuation.ts'
import { withPrerequisites } from '../../policy/capabilities/capability-tree.ts'
import type { Prepared } from '../../workspace/staging/prepare.ts'
import type { Run } from '../engine.ts'
import type { EndedGroup, Ending } from '../execute/ending.ts'
import { allowanceAfter } from '../execute/allowance.ts'
import { composeStored } from '../memory/stored-values.ts'
import { byteLength, truncateText } from '../../core/text/truncate.ts'
import { presentFailure, presentOutput, presentShielded } from '../present.ts'
import { identifyRoots } from '../made-elsewhere.ts'
import { shieldSecrets } from './shield-secrets.ts'
import type { Batch } from '../batch.ts'
import type { Received } from '../step.ts'
import { recordedFindings } from '../step.ts'

/** What an answer is made from. */
export interface AnswerSource {
  readonly ending: Ending
  /** What the process used meanwhile, if the call ran alone and usage is recorded. */
  readonly usage: ResourceUse | null
  readonly maxBytes: number
}

/** A result with the entry that records it. */
export interface Answer {
  readonly source: AnswerSource
  readonly call: Received
  readonly result: ToolResult
  readonly entry: SettledEntry
  /** Contents by digest: the result itself, and the file contents of its changes. */
  readonly payloads: readonly (readonly [Digest, Content])[]
  readonly seen: readonly SeenFile[]
  /** Results of what the runtime ran before it. */
  readonly ahead: readonly ToolResult[]
  /** Why it failed, and how far it had come; null if it succeeded. */
  readonly failure: { readonly error: ToolError; readonly phase: Phase } | null
}

const NOTHING: readonly never[] = []

/** An object under construction; few calls have all of its optional fields. */
type Draft<T> = { -readonly [Key in keyof T]: T[Key] }

/** Makes what the commit writes: one answer per call, within what earlier results left of the context window. */
export function record(
  batch: Batch,
  { endings, usage }: EndedGroup,
  results: readonly ToolResult[],
  run: Run,
): Soon<readonly Answer[]> {
  const shielded = run.isForModel ? shieldSecrets(batch.id, endings, run) : endings
  return goOnWith(shielded, (given) => recordAll(batch, { endings: given, usage }, results, run))
}

function recordAll(
  batch: Batch,
  { endings, usage }: EndedGroup,
  results: readonly ToolResult[],
  run: Run,
): readonly Answer[] {
  // Without a context window every result has the same limit, whatever came before it.
  if (run.capacityBytes === 0) {
    const { maxOutputBytes: maxBytes } = allowanceAfter(NOTHING, run)
    return endings.map((ending) => makeAnswer({ ending, usage, maxBytes }, batch, run))
  }
  const before = [...results]
  return endings.map((ending) => {
    before.push(...(ending.ahead ?? NOTHING))
    const { maxOutputBytes: maxBytes } = allowanceAfter(before, run)
    const answer = makeAnswer({ ending, usage, maxBytes }, batch, run)
    before.push(answer.result)
    return answer
  })
}

/** The answer of a call that the commit refused: its staged changes are dropped, the files it read still count as seen. */
export function recordRefused({ source }: Answer, error: ToolError, batch: Batch, run: Run): Answer {
  const { ending } = source
  const phase = error.details['layer'] === undefined ? 'running' : 'layer'
  const end = { ok: false, error, seen: ending.end.seen, phase } as const
  return makeAnswer({ ...source, ending: { ...ending, end } }, batch, run)
}

/** Makes the answer of a call; a result that does not fit the limit becomes an error here. */
function makeAnswer(source: AnswerSource, batch: Batch, run: Run): Answer {
  const { ending, usage, maxBytes } = source
  const { engine } = run
  const { step } = ending
  const { call, tool } = step
  let { end } = ending
  let content = ''
  let output: Digest | null = null
  if (end.ok && tool !== null) {
    const shown = presentOutput(tool, end.output, maxBytes, engine.settings['tools.output.style'])
    if (shown.ok) {
      content = shown.content
      output = engine.digest(shown.canonical)
    } else end = { ok: false, error: shown.error, seen: [], phase: 'running' }
  }
  // The digest above records what the tool returned; from here on only the redacted output is used.
  if (ending.shown !== undefined && ending.shown.ok === end.ok) {
    end = ending.shown
    if (end.ok && tool !== null)
      content = presentShielded(tool, end.output, maxBytes, engine.settings['tools.output.style'])
  }
  const at = engine.clock.now()
  const trace = end.ok
    ? settle(ending.trace, 'COMPLETED', at)
    : endWith(ending.trace, end.error.code, end.phase, at)
  const grant = ending.trace.now === 'EXECUTING' ? step.judgement.grant : undefined
  const prepared = end.prepared ?? null
  const attempts = ending.attempts ?? NOTHING
  const execution: Draft<Execution> = {
    id: call.execution,
    state: trace.now,
    duration_ms: Math.round(ending.durationMs),
  }
  if (grant !== undefined) execution.grant = grant.id
  if (attempts.length > 0) execution.attempts = attempts.length + 1
  const continuation = continuationOf(engine.rules.book, call.name, call.wantsContinuation, end.ok)
  const result: Draft<ToolResult> = end.ok
    ? { id: call.id, name: call.name, ok: true, result: end.output, content, execution, continuation }
    : { ...presentFailure(call, end, execution, maxBytes), continuation }
  if (run.origin === 'runtime') result.origin = run.origin
  const corrections = call.corrections?.map((one) => `note: ${one}`) ?? NOTHING
  const warnings = concat(corrections, end.ok ? warningsFor(tool, end.prepared) : NOTHING)
  if (warnings.length > 0 && tool !== null) {
    result.warnings = warnings
    const style = engine.settings['tools.output.style']
    result.content = withNotes(tool, result, corrections, { maxBytes, style })
  }
  if (ending.hidden !== undefined) result.hidden = ending.hidden
  const attached = (end.ok ? end.attached : undefined) ?? NOTHING
  if (attached.length > 0) result.attached = attached.map(([about]) => about)
  const payload = formatResult(result)
  const digest = engine.digest(payload)
  const values =
    end.ok && end.stored.size > 0 ? composeStored(end.stored, engine.clock.now(), engine.digest) : null
  const entry: Draft<SettledEntry> = {
    kind: 'settled',
    batch: batch.id,
    turn: batch.turn,
    execution: call.execution,
    name: call.name,
    version: tool?.version ?? null,
    effect: step.facts.tool?.effect ?? null,
    moves: trace.moves,
    error: result.ok ? null : { code: result.error.code, class: result.error.class },
    result: digest,
    output,
    capabilities:
      tool === null || ending.trace.now !== 'EXECUTING' ? NOTHING : withPrerequisites(tool.capabilities),
    changes: prepared?.changes ?? NOTHING,
    gates: recordedFindings(step),
    durationMs: execution.duration_ms,
  }
  if (prepared !== null && prepared !== undefined) {
    const { roots } = identifyRoots(prepared.changes, engine.workspace)
    if (roots !== undefined) entry.roots = roots
  }
  if (grant !== undefined) entry.grant = { id: grant.id, sentence: grant.sentence }
  if (!result.ok && result.error.details['layer'] === call.execution) entry.keptLayer = true
  if (attempts.length > 0) entry.attempts = attempts
  if (values !== null) entry.stored = values.stored
  if (attached.length > 0) entry.attached = attached.map(([{ sha256 }]) => sha256)
  if (ending.trace.now === 'EXECUTING' && usage !== null) entry.usage = usage
  return {
    source,
    call,
    result,
    entry,
    payloads: concat<readonly [Digest, Content]>(
      [[digest, payload]],
      attached.length === 0 ? NOTHING : attached.map(([{ sha256 }, bytes]) => [sha256, bytes] as const),
      concat(NOTHING, prepared?.payloads, values?.payloads),
    ),
    seen: concat(end.seen, prepared?.seen, values?.seen),
    ahead: ending.ahead ?? NOTHING,
    failure: end.ok ? null : end,
  }
}

/**
 * Adds what was put right in the arguments, and warnings such as that of a syntax error, to what the model is given,
 * within the limit. A tool with a fixed form, and JSON, is followed by the first only.
 */
function withNotes(
  { present }: Tool,
  { content, warnings = NOTHING }: Pick<ToolResult, 'content' | 'warnings'>,
  corrections: readonly string[],
  { maxBytes, style }: { readonly maxBytes: number; readonly style: OutputStyle },
): string {
  const notes = present.isFixed !== true && style === 'text' ? warnings : corrections
  if (notes.length === 0) return content
  const lines = notes.map((note) => `\n[${note}]`).join('')
  const room = maxBytes - byteLength(lines)
  return room < 0 ? content : truncateText(content, room).text + lines
}

/** Most calls have only the first of these, which is then returned as it is. */
function concat<T>(
  first: readonly T[],
  second: Iterable<T> = NOTHING,
  third: Iterable<T> = NOTHING,
): readonly T[] {
  return second === NOTHING && third === NOTHING ? first : [...first, ...second, ...third]
}

function warningsFor(tool: Tool | null, prepared: Prepared | null): readonly string[] {
  const notes = prepared?.notes ?? NOTHING
  if (tool === null || tool.deprecated === null) return notes
  return [deprecationWarning(tool.name, tool.deprecated), ...notes]
}

function deprecationWarning(
  name: string,
  { since, use, removedIn }: { since: string; use: string; removedIn: string },
): string {
  return `${name} is deprecated since ${since} and will be removed in ${removedIn}; use ${use} instead.`
}
