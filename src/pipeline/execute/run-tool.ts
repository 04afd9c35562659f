import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import { cancelledError, failure, toolError, ToolFailure } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import { once } from '../../core/memoize.ts'
import type { CallContext, Tool } from '../../core/tool.ts'
import { createBoundary } from '../../policy/capabilities/boundary.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import type { Engine, Run, ShellHooks } from '../engine.ts'
import { folderFault } from '../plan/folder-fault.ts'
import type { Received } from '../step.ts'
import { timeGiven } from '../time-given.ts'
import type { CallLayer } from './call-layer.ts'
import { converseFor } from './conversing/converse.ts'
import { createToolContext } from './tool-context.ts'
import type { Allowance, ToolContextSource } from './tool-context.ts'

/** How long a runner may take to stop a command and report on it, beyond the command's grace period. */
const STOPPING_MS = 5000

/** One attempt at a call: the tool, the call, and what it may use. */
export interface Attempt {
  readonly tool: Tool
  readonly call: Received
  readonly allowance: Allowance
  /** Told of each process before it starts; it prevents the start by throwing. */
  readonly onStart?: (request: SpawnRequest) => void
  /** Told which secrets were removed from what a process printed. */
  readonly onHidden?: ShellHooks['onHidden']
  /** The layer of the processes it starts. */
  readonly layer?: CallLayer
  /** Stores what the model is shown with the result; absent if the result goes to no model. */
  readonly attach?: CallContext['attach']
}

/** Runs the tool's code and checks its output, synchronously if the tool is; staged changes stay in the transaction. */
export function runTool(
  { tool, call, allowance, onStart, onHidden, layer, attach = null }: Attempt,
  transaction: Transaction,
  run: Run,
): JsonObject | Promise<JsonObject> {
  const { engine } = run
  const timeoutMs = Math.min(timeoutOf(tool, call, engine), allowance.timeoutMs ?? Infinity)
  let isOver = false
  const emit: CallContext['emit'] = (stream, chunk) => {
    // Output that a tool emits after its call has ended is ignored.
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
    attach,
    isWatched: run.isWatched,
    // Created lazily: most tools never use it.
    stop: once(() => new AbortController()),
    onStart,
    transaction,
    boundary: createBoundary(tool.name, tool.capabilities),
    shell: engine.shell,
    web: engine.web,
    checkContent: engine.checkContent,
    log: run.log,
    knownSecrets: engine.knownSecrets,
    digest: engine.digest,
    isNoSecret: engine.grants.isNoSecret,
    onHidden: onHidden ?? ignore,
    layer,
    converse: () => converseFor(source, run),
  }
  /** A tool that used an undeclared capability fails with that error, even if it caught it. */
  const close = (): void => {
    isOver = true
    const breach = source.boundary.breach()
    if (breach !== null) throw new ToolFailure(breach)
  }
  let output: unknown
  let promised: PromiseLike<unknown> | null
  try {
    if (run.signal.aborted) throw cancelled()
    requireFolder(call, run)
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

const ignore = (): void => undefined

/** Plans hope that an earlier call makes the folder; a preview sees it only by the files that would be in it. */
function requireFolder(call: Received, { engine, previewed }: Run): void {
  const fault = folderFault(call, engine)
  if (fault === null) return
  const below = `${fault.absolute}/`
  const isPreviewed = fault.isMissing && previewed?.contents.keys().some((path) => path.startsWith(below))
  if (isPreviewed !== true) throw new ToolFailure(fault.error)
}

/** Runs the tool's code in this process or, if it is isolated, in its own, which receives only data. */
function runCode(source: ToolContextSource, engine: Engine): unknown {
  const { tool, call, timeoutMs, isDryRun, emit, stop } = source
  if (tool.isolate === null) return tool.run(call.args, createToolContext(source))
  const context = { callId: call.id, executionId: call.execution, timeoutMs, isDryRun }
  const { isolate: isolation, name } = tool
  return engine.runIsolated({ tool: name, isolation, args: call.args, context, signal: stop().signal, emit })
}

/** How long one attempt of a call may take. */
export function timeoutOf(tool: Tool, call: Received, engine: Engine): number {
  const requested = call.meta.timeout === undefined ? Infinity : call.meta.timeout * 1000
  return Math.min(timeGiven(tool, engine.settings), requested)
}

/**
 * A process is stopped by its runner, which then reports on it; the pipeline waits a little longer for that. A
 * conversation stops its own calls first, which may be processes or conversations again.
 */
function patienceOf({ effect, converses }: Tool, { settings }: Engine): number {
  const stoppingMs = settings['tools.shell.grace_seconds'] * 1000 + STOPPING_MS
  if (converses) return stoppingMs * (settings['tools.delegate.max_depth'] + 1)
  return effect === 'spawn' ? stoppingMs : 0
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
          ['Do less in one call, or raise the timeout in the configuration.'],
        )
        reject(error)
        stop().abort(error)
      },
      Math.min(timeoutMs + patienceMs, LONGEST_TIMER_MS),
    )
    onCancel = () => {
      const error = cancelled()
      // A tool that listens may end at once by an error of its own, which is no crash, or with half of its work.
      if (patienceMs === 0) reject(error)
      stop().abort(error)
      if (patienceMs === 0) return
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
    // A tool that loses the race may still reject later; this prevents an unhandled rejection.
    result.catch(() => undefined)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** The failure of a call that was cancelled. */
export function cancelled(): ToolFailure {
  return new ToolFailure(cancelledError())
}

function checkOutput(tool: Tool, output: unknown, engine: Engine): JsonObject {
  const problems = isJsonObject(output)
    ? engine.validation.of(tool.outputSchema)(output, 'result')
    : ['the result is not an object']
  if (problems.length === 0) return output as JsonObject
  throw new ToolFailure(
    toolError(
      'output_invalid',
      `The output of ${tool.name} does not match its output schema: ${problems.join('; ')}.`,
      { problems: [...problems] },
    ),
  )
}
