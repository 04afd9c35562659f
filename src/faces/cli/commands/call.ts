import { isJsonObject } from '../../../core/json/value.ts'
import { describeProblem } from '../../../core/json/problem.ts'
import { scanJsonText } from '../../../core/json/scan.ts'
import type { ParsedLine } from '../arguments.ts'
import { readStdin, readInput } from '../stdin.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'
import { USUAL_SESSION } from '../../../config/fixed-values.ts'
import { MAX_BATCH_CALLS } from '../../../config/keys/loop-keys.ts'
import type { ToolCall } from '../../../core/call.ts'
import { closeRuntime, openRuntime } from '../open.ts'
import { showResults } from '../show-results.ts'
import type { OutputStream } from '../stream-output.ts'
import { streamOutput } from '../stream-output.ts'
import { stopBatchOnSignals } from '../signals.ts'

/** `tongs call TOOL [ARGS|-]`: one call through the whole pipeline. */
export async function call(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [name = '', given] = line.words
  const text = given === undefined ? '{}' : given === '-' ? readStdin() : given
  const scan = scanJsonText(text)
  if (!scan.ok) {
    throw new UsageError(
      `ARGS is not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      `write it like '{"path": "a.txt"}'`,
    )
  }
  if (!isJsonObject(scan.value))
    throw new UsageError('ARGS is not a JSON object', `write it like '{"path": "a.txt"}'`)
  const problems = scan.problems.map((problem) => describeProblem(problem))
  const live = terminal.isInteractive && !line.has('--json') ? streamOutput(terminal) : null
  return runGivenCalls([{ id: 'c1', name, args: scan.value, problems }], line, terminal, live)
}

/** The fields of a call; problems in other fields are ignored. */
const ENVELOPE: ReadonlySet<string | number> = new Set(['id', 'name', 'args', 'meta'])

/** `tongs batch [FILE|-]`: an array of calls, one result each, in order. */
export async function batch(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [from = '-'] = line.words
  const scan = scanJsonText(from === '-' ? readStdin() : readInput(from), { argsAt: 2 })
  const shape = 'a batch looks like [{"id": "1", "name": "read_file", "args": {"path": "a.txt"}}]'
  if (!scan.ok)
    throw new UsageError(
      `the batch is not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      shape,
    )
  if (!Array.isArray(scan.value)) throw new UsageError('the batch is not a JSON array', shape)
  if (scan.value.length > MAX_BATCH_CALLS)
    throw new UsageError(
      `the batch has ${scan.value.length} calls, and at most ${MAX_BATCH_CALLS} are allowed`,
      'send them in several batches',
    )
  const problemsAt = Map.groupBy(scan.problems, ({ pointer: [place] }) => place)
  const calls = scan.value.map((element: unknown, index) => {
    const problems = (problemsAt.get(index) ?? [])
      .filter(({ pointer: [, field] }) => field === undefined || ENVELOPE.has(field))
      .map(describeProblem)
    return isJsonObject(element) ? { ...element, problems } : element
  })
  return runGivenCalls(calls, line, terminal)
}

/** Runs calls in the session the line names, until they end or the user stops them. */
async function runGivenCalls(
  calls: readonly unknown[],
  line: ParsedLine,
  terminal: Terminal,
  live: OutputStream | null = null,
): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopBatchOnSignals(stop, terminal)
  try {
    const session = line.value('--session') ?? USUAL_SESSION
    const results = await runtime.run(calls as readonly ToolCall[], {
      session,
      signal: stop.signal,
      dryRun: line.has('--dry-run'),
      ...(live === null ? {} : { onEvent: live.onEvent }),
    })
    return showResults(results, line.has('--json'), terminal, live)
  } finally {
    await closeRuntime(runtime, terminal)
    release()
  }
}
