import type { Attachment } from '../../core/attachment/attachment.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { HiddenPart } from '../../core/result.ts'
import type { KeyLines } from '../../core/text/secrets/key-lines.ts'
import type { Effect, Tool } from '../../core/tool.ts'
import { arrived, goOnWith, runFlow } from '../../core/wait.ts'
import type { Flow, Soon } from '../../core/wait.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import type { ExtraPathFact } from '../../policy/facts.ts'
import { staysOnLayer } from '../../policy/gates/approval-gates.ts'
import { judge } from '../../policy/judge.ts'
import type { Prepared } from '../../workspace/staging/prepare.ts'
import { fileOfKey } from '../../workspace/staging/shown-lines.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import { isAgreed } from '../approve/agreement.ts'
import { askAgain } from '../approve/ask-again.ts'
import { CHANGED, NOT_ASKED, NOTHING_TAKEN } from '../approve/denials.ts'
import { LateRefusal } from '../approve/late-refusal.ts'
import { describeStart } from '../approve/undrawn-facts.ts'
import type { Engine, Run } from '../engine.ts'
import { changesOf } from '../memory/changed-files.ts'
import { readStored, storedDigest } from '../memory/stored-values.ts'
import type { Received, Step } from '../step.ts'
import { errorFrom } from '../tool-crash.ts'
import type { Finish } from './ending.ts'
import { createCallLayer } from './call-layer.ts'
import { ConversationWaits } from './conversing/converse.ts'
import { conversingOutcome } from './conversing/conversing-outcome.ts'
import { endStopped, parkedOutcome, readyLanding } from './land-layer.ts'
import { judgeContent } from './judge-content.ts'
import { judgeStaged } from './judge-staged.ts'
import { refreshBuffers } from '../plan/refresh-buffers.ts'
import { openKeyLines, showStaged } from './preview.ts'
import type { Outcome, ReadyAttempt } from './ready-attempt.ts'
import type { Consent } from './recheck.ts'
import { cancelled, runTool } from './run-tool.ts'
import type { Attempt } from './run-tool.ts'
import { isBeyondUndo, noteStart } from './starting/note-start.ts'

const NOTHING_STORED: ReadonlyMap<string, JsonValue> = new Map()

/** Runs a tool inside a transaction; once more if it looked for what earlier edits have yet to put in place. */
export function runInTransaction(attempt: ReadyAttempt, run: Run): Soon<Outcome> {
  return goOnWith(runFlow(runOnce(attempt, run)), (outcome) => {
    if (outcome !== LOOKED_PAST) return outcome
    return goOnWith(run.held?.flush(), () => runInTransaction(attempt, run))
  })
}

const LOOKED_PAST = Symbol('looked past what earlier edits have staged')

/** Its catch is the only one that turns a thrown value into an outcome. */
function* runOnce(attempt: ReadyAttempt, run: Run): Flow<Outcome | typeof LOOKED_PAST> {
  const { engine } = run
  const { tool, call } = attempt
  const started = engine.clock.elapsed()
  let durationMs = 0
  let { step, consent } = attempt
  let { effect } = tool
  const before = new Map<string, Digest | null>()
  const hidden: HiddenPart[] = []
  const onHidden: Attempt['onHidden'] = (found) =>
    void hidden.push(...found.map((one) => ({ file: null, ...one })))
  const keys = openKeyLines(run)
  const attached: (readonly [Attachment, Uint8Array])[] = []
  const attach: Attempt['attach'] = (bytes, about) =>
    void attached.push([{ ...about, sha256: engine.digest(bytes), bytes: bytes.length }, bytes])
  const hiding = () => ({
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(keys === null ? {} : { findKeyLines: keys.find }),
  })
  if (engine.workspace.buffers !== null) yield refreshBuffers(tool, call, engine.workspace)
  const transaction = beginTransaction(call, before, keys, run)
  const layer = createCallLayer(call.execution, engine.shell, mayRunDry(step, run))
  let isKept = false
  const keeping = (): Pick<Outcome, 'layer'> => {
    const kept = isKept ? layer.current() : null
    return kept === null ? {} : { layer: kept }
  }
  try {
    effect = tool.effectOf(call.args)
    if (run.isDryRun && !mayPreview(effect, tool, call)) throw notPreviewable(tool)
    if (!run.isDryRun && attempt.allowance.isRetry !== true && isBeyondUndo(effect))
      yield noteStart(effect, step, run)
    const { allowance } = attempt
    const own = { onHidden, layer, attach: run.isForModel ? attach : null }
    const ready: Attempt = { tool, call, allowance, ...own }
    const running = runTool(guardStarts(ready, consent, run), transaction, run)
    let output = running instanceof Promise ? yield* arrived(running) : running
    if (transaction.hasLookedPast()) return LOOKED_PAST
    const judging = judgeContent(transaction, engine)
    const notes = judging instanceof Promise ? yield* arrived(judging) : judging
    durationMs = engine.clock.elapsed() - started
    const isCommitted = !run.isDryRun && effect !== 'read'
    if (layer.isUsed()) {
      const used = { layer, output, durationMs, hidden }
      const landing = yield* arrived(readyLanding(attempt, used, transaction, run))
      ;({ output, step, consent, isKept } = landing)
      if (landing.parked !== null)
        return parkedOutcome(landing.parked, { step, consent, durationMs, ...keeping() })
    } else if (isCommitted && effect !== 'spawn') {
      ;({ step, consent } = judgeStaged({ step, consent }, transaction, run))
      if (consent.is !== 'given')
        ({ step, consent } = yield* arrived(
          agreeToStaged({ ...attempt, step, consent }, transaction, notes, run),
        ))
    }
    if (consent.is === 'agreed' && consent.agreement.hunks !== undefined && isCommitted)
      output = takePart(output, consent.agreement.hunks, transaction)
    if (isCommitted && transaction.landsInEditor()) output = { ...output, landed: 'editor' }
    const prepared = isCommitted ? withNotes(transaction.prepare(), notes) : null
    noteRead(transaction, run)
    const stored = run.isDryRun ? NOTHING_STORED : transaction.stored()
    // A dry run reads files that do not exist yet, so none of them counts as seen.
    const seen = run.isDryRun ? [] : transaction.seen
    const end: Finish = { ok: true, output, seen, prepared, stored }
    const hasRest = before.size > 0 && stored.size > 0
    const outcome: Outcome = { step, consent, end, durationMs, ...restsOn(consent), ...keeping() }
    if (!hasRest && attached.length === 0 && hidden.length === 0 && keys === null) return outcome
    const rest = { ...(hasRest ? { restsOn: before } : {}), ...(attached.length === 0 ? {} : { attached }) }
    return { ...outcome, end: { ...end, ...rest }, ...hiding() }
  } catch (thrown) {
    if (transaction.hasLookedPast()) return LOOKED_PAST
    if (thrown instanceof ConversationWaits) {
      durationMs = engine.clock.elapsed() - started
      return conversingOutcome({ step, consent, durationMs })
    }
    if (thrown instanceof LateRefusal) step = thrown.noteIn(step)
    const stopped = { layer, effect, attempt: { ...attempt, step, consent } }
    const { keepsLayer = false, ...rest } = yield* arrived(
      endStopped(errorFrom(tool.name, thrown), stopped, transaction, run),
    )
    const { consent: kept = consent, ...ended } = rest
    consent = kept
    isKept ||= keepsLayer || ended.prepared !== undefined
    const dropped = isKept ? null : layer.giveUpAsked()
    return {
      step,
      consent,
      end: { ok: false, seen: run.isDryRun ? [] : transaction.seen, ...ended },
      durationMs: durationMs > 0 ? durationMs : engine.clock.elapsed() - started,
      ...(dropped === null ? {} : { dropped }),
      ...restsOn(consent),
      ...keeping(),
      ...hiding(),
    }
  } finally {
    if (!isKept && layer.isUsed()) yield layer.discard()
    transaction.close()
  }
}

const ON_NOTHING: Pick<Outcome, 'grant'> = {}

/** The grant that a commit rests on. */
function restsOn(consent: Consent): Pick<Outcome, 'grant'> {
  return consent.is !== 'given' || consent.grant === undefined ? ON_NOTHING : { grant: consent.grant }
}

/** Begins the transaction of a call; `before` collects the stored values that the call reads. */
function beginTransaction(
  { execution }: Received,
  before: Map<string, Digest | null>,
  keys: KeyLines | null,
  { log, engine, previewed, held }: Run,
): Transaction {
  const readKey = (key: string): JsonValue | null => {
    if (!before.has(key)) before.set(key, storedDigest(log, key))
    return readStored(log, key)
  }
  const silent = {
    execution,
    session: log.key,
    ledger: log.ledger,
    readStored: readKey,
    changedBy: (id: string) => changesOf(log, id),
  }
  const scope = keys === null ? silent : { ...silent, onRead: keys.note }
  if (previewed !== null) return engine.workspace.begin({ ...scope, preview: previewed })
  if (held === undefined || held.isEmpty) return engine.workspace.begin(scope)
  return engine.workspace.begin({ ...scope, ledger: held.ledger, earlier: held.files })
}

/**
 * An approval covers only what was shown. If something else is staged now, the approver is asked about exactly that;
 * without their approval nothing is committed.
 */
async function agreeToStaged(
  { step, consent, batch }: ReadyAttempt,
  transaction: Transaction,
  notes: readonly string[],
  run: Run,
): Promise<Pick<ReadyAttempt, 'step' | 'consent'>> {
  const staged = showStaged(transaction, notes)
  if (consent.is === 'agreed' && isAgreed(consent.agreement, step, staged, run)) return { step, consent }
  // A person is asked about what is in place, and may take long.
  await run.held?.flush()
  const refusal = consent.is === 'agreed' ? CHANGED : NOT_ASKED
  const asked = await askAgain(step, staged, { batch, refusal }, run)
  if (run.signal.aborted) throw cancelled()
  const { verdict, error } = asked.step.judgement
  if (verdict === 'settle' && error !== null) throw LateRefusal.of(step, error)
  if (asked.agreement === null) throw new ToolFailure(refusal)
  return { step: asked.step, consent: { is: 'agreed', agreement: asked.agreement } }
}

/** Keeps the hunks that were approved, and says in the result what was left out. */
function takePart(output: JsonObject, hunks: readonly number[], transaction: Transaction): JsonObject {
  const left = transaction.takeHunks(hunks)
  if (left.length === 0) return output
  if (transaction.stagedContents().length === 0) throw new ToolFailure(NOTHING_TAKEN)
  const leftOut = left.map(({ path, hunks: numbers }) => ({ path, hunks: [...numbers] }))
  const diff = typeof output['diff'] === 'string' ? { diff: transaction.preview().diff } : {}
  const changed = new Set(transaction.stagedContents().map(({ path }) => path))
  const untouched = new Set(left.map(({ path }) => path).filter((path) => !changed.has(path)))
  return { ...output, ...withoutFiles(output, untouched), ...diff, partial: true, left_out: leftOut }
}

/** The list of changed files in a result, without those of which nothing was taken. */
function withoutFiles({ files }: JsonObject, untouched: ReadonlySet<string>): JsonObject {
  if (!Array.isArray(files)) return {}
  return { files: files.filter((file) => !untouched.has(pathOf(file))) }
}

function pathOf(file: JsonValue): string {
  return String(isJsonObject(file) ? file['path'] : file)
}

/** A tool may look at the project again when it runs; what it then starts has to be what was approved. */
function guardStarts(attempt: Attempt, consent: Consent, { engine }: Run): Attempt {
  if (consent.is === 'agreed' || consent.process === undefined) return attempt
  const { starts, granted } = consent.process
  const write = (start: SpawnRequest): string => canonicalJson(describeStart(start, engine))
  const expected = starts.map(write).values()
  return {
    ...attempt,
    onStart(request) {
      const { value } = expected.next()
      // What a tool starts after its first process depends on that one, so it cannot be known beforehand.
      const isOther = value !== undefined && value !== write(request)
      if (isOther || !granted.every((one) => leadsToSame(one, engine))) throw new ToolFailure(CHANGED)
    },
  }
}

function leadsToSame({ path, real }: ExtraPathFact, { shell }: Engine): boolean {
  const judged = shell.judgePath(path, 'read')
  return judged.ok && judged.real === real
}

/** Notes what a call of a dry run read and staged, so that later calls run as if it had been committed. */
function noteRead(transaction: Transaction, { previewed }: Run): void {
  if (previewed === null) return
  for (const { path } of transaction.seen) previewed.reads.add(fileOfKey(path))
  for (const { absolute, after } of transaction.stagedContents()) previewed.contents.set(absolute, after)
}

/** Whether a dry run may ask a tool what it would do: not if others run it, or if it acts outside and does not say where. */
function mayPreview(effect: Effect, tool: Tool, { args }: Received): boolean {
  return tool.foreign === null && (effect !== 'external' || tool.webAddress(args) !== null)
}

/** A dry run asks for no approval, and actions outside this machine cannot be previewed. */
function notPreviewable({ name, foreign }: Tool): ToolFailure {
  const why =
    foreign === null
      ? 'acts outside this machine, so a dry run cannot show what it would do'
      : 'is run by an MCP server, which a dry run neither starts nor calls'
  const message = `${name} ${why}. Nothing was started.`
  return failure('not_allowed', message, { dry_run: true }, [
    'Leave it out of the dry run, or make the real call, which needs approval.',
  ])
}

function withNotes(prepared: Prepared | null, notes: readonly string[]): Prepared | null {
  return prepared === null ? null : { ...prepared, notes: [...prepared.notes, ...notes] }
}

/** Whether a dry run may start the processes of a call: where they would start unasked, on a layer. */
function mayRunDry({ facts }: Step, { engine, isDryRun }: Run): boolean {
  if (!isDryRun || facts.tool?.effect !== 'spawn') return false
  const real = { ...facts, isDryRun: false, shell: engine.shell.status() }
  return staysOnLayer(real, engine.settings) && judge(real, engine.settings).verdict === 'run'
}
