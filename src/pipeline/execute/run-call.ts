import type { Settings } from '../../config/keys.ts'
import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import { cancelledError, failure, toolError, ToolFailure } from '../../core/error.ts'
import type { Phase, ToolError } from '../../core/error.ts'
import { memoizeLast, once } from '../../core/memoize.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { CallContext, Effect, Tool } from '../../core/tool.ts'
import type { Digest, SeenFile } from '../../journal/entries/entry.ts'
import { createBoundary } from '../../policy/capabilities/boundary.ts'
import type { Prepared } from '../../workspace/staging/prepare.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import { bindingOf } from '../approve/agreement.ts'
import type { Agreement } from '../approve/agreement.ts'
import { errorFrom } from '../tool-crash.ts'
import { createToolContext } from './tool-context.ts'
import type { Allowance, ToolContextSource } from './tool-context.ts'
import type { Engine, Run } from '../engine.ts'
import { judgeContent } from './judge-content.ts'
import { readStored, storedDigest } from '../memory/stored-values.ts'
import type { StoredBefore } from '../memory/stored-values.ts'
import type { Received } from '../parse/receive.ts'
import { CHANGED } from '../refuse.ts'

/** How a run ended; nothing in the workspace has changed yet, and `prepared` is what the commit will change. */
export type Outcome =
  | {
      readonly ok: true
      readonly output: JsonObject
      readonly seen: readonly SeenFile[]
      readonly prepared: Prepared | null
      readonly stored: ReadonlyMap<string, JsonValue>
      readonly restsOn?: StoredBefore
      readonly durationMs: number
    }
  | {
      readonly ok: false
      readonly error: ToolError
      readonly seen: readonly SeenFile[]
      readonly phase: Phase
      readonly durationMs: number
    }

/** How long a runner may take to end a command and to tell about it, beyond the grace that the command has. */
const STOPPING_MS = 5000
const NOTHING_STORED: ReadonlyMap<string, JsonValue> = new Map()

/** Runs a tool inside a transaction, within its time. This holds the one catch that turns a throw into an outcome. */
export async function runInTransaction(
  tool: Tool,
  call: Received,
  allowance: Allowance,
  agreement: Agreement | null,
  engine: Engine,
  run: Run,
): Promise<Outcome> {
  const started = engine.clock.elapsed()
  let { effect } = tool
  const { log, previewed } = run
  let before: Map<string, Digest | null> | null = null
  const readKey = (key: string): JsonValue | null => {
    before ??= new Map()
    if (!before.has(key)) before.set(key, storedDigest(log, key))
    return readStored(log, key)
  }
  const scope = { execution: call.execution, session: log.key, ledger: log.ledger, readStored: readKey }
  const transaction = engine.workspace.begin(previewed === null ? scope : { ...scope, preview: previewed })
  try {
    effect = tool.effectOf(call.args)
    if (run.isDryRun && effect === 'external') throw unshowable(tool)
    if (!run.isDryRun && allowance.isRetry !== true && isBeyondUndo(effect))
      await noteStart(effect, call, run)
    const running = runTool(tool, call, allowance, transaction, run, engine)
    const output = running instanceof Promise ? await running : running
    const judging = judgeContent(transaction, engine)
    const notes = judging instanceof Promise ? await judging : judging
    const isCommitted = !run.isDryRun && effect !== 'read'
    if (isCommitted && agreement !== null) requireAgreed(tool, call, agreement, transaction, engine)
    const prepared = isCommitted ? withNotes(transaction.prepare(), notes) : null
    noteRehearsed(transaction, run)
    const stored = run.isDryRun ? NOTHING_STORED : transaction.stored()
    // A dry run shows what would be, so nothing of it counts as seen.
    return {
      ok: true,
      output,
      seen: run.isDryRun ? [] : transaction.seen,
      prepared,
      stored,
      ...(before === null || stored.size === 0 ? {} : { restsOn: before }),
      durationMs: engine.clock.elapsed() - started,
    }
  } catch (thrown) {
    return {
      ok: false,
      error: errorFrom(tool.name, thrown),
      seen: run.isDryRun ? [] : transaction.seen,
      phase: effect === 'spawn' ? 'process' : 'running',
      durationMs: engine.clock.elapsed() - started,
    }
  } finally {
    transaction.close()
  }
}

/** The later calls of a dry run are shown as they would go if the earlier ones had been done. */
function noteRehearsed(transaction: Transaction, { previewed }: Run): void {
  if (previewed === null) return
  for (const { path } of transaction.seen) previewed.reads.add(path)
  for (const { absolute, after } of transaction.stagedContents()) previewed.contents.set(absolute, after)
}

/** Nobody is asked about a dry run, and what acts outside of this machine cannot be rehearsed. */
function unshowable({ name }: Tool): ToolFailure {
  const message = `${name} acts outside of this machine, so a dry run cannot show what it would do; nothing was started.`
  return failure('not_allowed', message, { dry_run: true }, [
    'Leave it out of the dry run, or make the call for real; it is asked about then.',
  ])
}

function withNotes(prepared: Prepared | null, notes: readonly string[]): Prepared | null {
  return prepared === null ? null : { ...prepared, notes: [...prepared.notes, ...notes] }
}

/** Whether the workspace cannot take back what a call does. */
function isBeyondUndo(effect: Effect): boolean {
  return effect === 'spawn' || effect === 'external'
}

/** On record, durably, before it begins: after a crash it is in doubt, not forgotten. */
async function noteStart(effect: Effect, { execution }: Received, run: Run): Promise<void> {
  const idempotencyKey = effect === 'external' ? execution : null
  const entry = { kind: 'started', execution, effect, idempotencyKey } as const
  await run.log.appendTogether({ entries: [entry], reliance: 'durable' })
}

/** Runs the tool's code and checks what it returns, which may be there at once; its staged changes stay in the transaction. */
export function runTool(
  tool: Tool,
  call: Received,
  allowance: Allowance,
  transaction: Transaction,
  run: Run,
  engine: Engine,
): JsonObject | Promise<JsonObject> {
  const timeoutMs = Math.min(timeoutOf(tool, call, engine), allowance.timeoutMs ?? Infinity)
  let isOver = false
  const emit: CallContext['emit'] = (stream, chunk) => {
    // What a tool says after its call has ended is not output of that call.
    if (!isOver) run.onEvent({ event: 'output', execution: call.execution, id: call.id, stream, chunk })
  }
  const source: ToolContextSource = {
    tool,
    call,
    allowance,
    timeoutMs,
    isDryRun: run.isDryRun,
    settings: engine.settings,
    now: engine.clock.now,
    emit,
    isWatched: run.isWatched,
    // Most tools never look at it.
    stop: once(() => new AbortController()),
    transaction,
    boundary: createBoundary(tool.name, tool.capabilities),
    shell: engine.shell,
    checkContent: engine.checkContent,
    session: run.log.key,
  }
  /** A tool that reached for what it had not declared has failed with that, whatever it made of being stopped. */
  const close = (): void => {
    isOver = true
    const breach = source.boundary.breach()
    if (breach !== null) throw new ToolFailure(breach)
  }
  let output: unknown
  let promised: PromiseLike<unknown> | null
  try {
    if (run.signal.aborted) throw cancelled()
    output = runCode(source, engine)
    promised = isThenable(output) ? output : null
  } catch (thrown) {
    close()
    throw thrown
  }
  if (promised !== null)
    return withinTime(promised, source, patienceOf(tool, engine), run.signal)
      .finally(close)
      .then((done) => checkOutput(tool, done, engine))
  close()
  return checkOutput(tool, output, engine)
}

/** An approval counts for what was shown. If the call would commit something else by now, it commits nothing. */
function requireAgreed(
  tool: Tool,
  call: Received,
  agreement: Agreement,
  transaction: Transaction,
  engine: Engine,
): void {
  const diff = agreement.isShown ? transaction.preview().diff : null
  if (bindingOf(tool, call, diff, engine) === agreement.binding) return
  throw new ToolFailure(CHANGED)
}

/** Runs the code of a tool where it is to be run. In a process of its own there is nothing to hand to it but data. */
function runCode(source: ToolContextSource, engine: Engine): unknown {
  const { tool, call, timeoutMs, isDryRun, emit, stop } = source
  if (tool.isolate === null) return tool.run(call.args, createToolContext(source))
  const context = { callId: call.id, executionId: call.execution, timeoutMs, isDryRun }
  const { isolate: isolation, name } = tool
  return engine.runIsolated({ tool: name, isolation, args: call.args, context, signal: stop().signal, emit })
}

const configuredTimeout = memoizeLast(
  ({ limits }: Tool, settings: Settings) =>
    settings[`tools.timeouts.${limits.timeout ?? 'default'}_seconds`] * 1000,
)

/** How long one attempt of a call may take. */
export function timeoutOf(tool: Tool, call: Received, engine: Engine): number {
  const wished = call.meta.timeout === undefined ? Infinity : call.meta.timeout * 1000
  return Math.min(
    configuredTimeout(tool, engine.settings),
    wished,
    tool.limits.maxExecutionTimeMs ?? Infinity,
  )
}

/** A process is stopped by its runner, which then has something to tell; the pipeline only waits a little longer. */
function patienceOf({ effect }: Tool, { settings }: Engine): number {
  return effect === 'spawn' ? settings['tools.shell.grace_seconds'] * 1000 + STOPPING_MS : 0
}

async function withinTime(
  begun: PromiseLike<unknown>,
  { timeoutMs, stop }: ToolContextSource,
  patienceMs: number,
  cancel: AbortSignal,
): Promise<unknown> {
  const result = Promise.resolve(begun)
  let timer: NodeJS.Timeout | undefined
  let onCancel: (() => void) | undefined
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const error = failure(
          'timeout',
          `Timed out after ${timeoutMs / 1000} s.`,
          { timeout_ms: timeoutMs },
          ['Ask for less at a time, or raise the timeout in the configuration.'],
        )
        reject(error)
        stop().abort(error)
      },
      Math.min(timeoutMs + patienceMs, LONGEST_TIMER_MS),
    )
    onCancel = () => {
      const error = cancelled()
      stop().abort(error)
      if (patienceMs === 0) return reject(error)
      clearTimeout(timer)
      timer = setTimeout(() => reject(error), patienceMs)
    }
    cancel.addEventListener('abort', onCancel, { once: true })
  })
  try {
    return await Promise.race([result, ended])
  } finally {
    clearTimeout(timer)
    if (onCancel !== undefined) cancel.removeEventListener('abort', onCancel)
    // A tool that loses the race may still reject later; nobody waits for it any more.
    result.catch(() => undefined)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** The failure of a call that a person stopped. */
export function cancelled(): ToolFailure {
  return new ToolFailure(cancelledError())
}

function checkOutput(tool: Tool, output: unknown, engine: Engine): JsonObject {
  const problems = isJsonObject(output)
    ? engine.validation.of(tool.outputSchema)(output, 'result')
    : ['the result is no object']
  if (problems.length === 0) return output as JsonObject
  throw new ToolFailure(
    toolError(
      'output_invalid',
      `${tool.name} returned what its output schema forbids: ${problems.join('; ')}.`,
      { problems: [...problems] },
    ),
  )
}
