import { USUAL_SESSION } from '../../../config/fixed-values.ts'
import { describeProblem } from '../../../core/json/problem.ts'
import { scanJsonText } from '../../../core/json/scan.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { CheckedCall, PolicyVerdict } from '../../../pipeline/after/judge-only.ts'
import type { ParsedLine } from '../arguments.ts'
import { chosenSession } from '../chosen-session.ts'
import { openRuntime } from '../open.ts'
import { readInput, readStdin } from '../stdin.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

const USAGE = 'usage: tongs policy check FILE|- or tongs policy replay'
const SHAPE = 'a call looks like {"name": "read_file", "args": {"path": "a.txt"}}'

/** `tongs policy check FILE|-` and `tongs policy replay`: judge without running. */
export async function policy(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [what, file] = line.words
  if (what === 'check' && file !== undefined) return check(file, line, terminal)
  if (what === 'replay' && file === undefined) return replay(line, terminal)
  throw new UsageError(`unknown policy command ${JSON.stringify(line.words.join(' '))}`, USAGE)
}

async function check(file: string, line: ParsedLine, terminal: Terminal): Promise<number> {
  const calls = readCalls(file === '-' ? readStdin() : readInput(file))
  const runtime = await openRuntime(line, terminal)
  try {
    const session = line.value('--session') ?? USUAL_SESSION
    const checked = await runtime.policy.check(calls, { session, dryRun: line.has('--dry-run') })
    for (const call of checked) {
      if (line.has('--json')) terminal.json(call)
      else show(call, terminal)
    }
    return line.has('--exit-code') ? exitOf(checked.map(({ verdict }) => verdict)) : 0
  } finally {
    await runtime.close()
  }
}

/** One call or an array of calls, each with its JSON problems. */
function readCalls(text: string): readonly unknown[] {
  const isArray = text.trimStart().startsWith('[')
  const scan = scanJsonText(text, { argsAt: isArray ? 2 : 1 })
  if (!scan.ok)
    throw new UsageError(
      `the call is not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      SHAPE,
    )
  const { value, problems } = scan
  if (!Array.isArray(value) && !isJsonObject(value)) throw new UsageError('that is not a call', SHAPE)
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value]
  return elements.map((element, index) => {
    if (!isJsonObject(element)) return element
    const own = problems.filter(({ pointer }) => !isArray || pointer[0] === index).map(describeProblem)
    return { id: `c${index + 1}`, ...element, problems: own }
  })
}

function show({ name, verdict, gate, gates, message, satisfy }: CheckedCall, terminal: Terminal): void {
  terminal.print(safeWords(`${name} ${WORDS[verdict]}`))
  for (const row of gates) {
    const colour = row.verdict === 'pass' ? 'green' : row.verdict === 'ask' ? 'yellow' : 'red'
    terminal.print(
      `  ${terminal.paint(colour, row.verdict.padEnd(4))}  ${safe(row.gate.padEnd(16))} ${safeWords(row.fact)}`,
    )
  }
  if (verdict !== 'allowed') terminal.print(safe(`decided by: ${gate}`))
  if (message !== null) terminal.print(safe(message))
  for (const way of satisfy) terminal.print(safe(`  ${way}`))
}

const WORDS: Readonly<Record<PolicyVerdict, string>> = {
  allowed: 'would run',
  ask: 'would be asked about',
  denied: 'would be denied',
  failed: 'would fail',
}

/** The exit code that `call` and `batch` would give. */
function exitOf(verdicts: readonly PolicyVerdict[]): number {
  if (verdicts.includes('ask')) return 4
  if (verdicts.includes('failed')) return 1
  return verdicts.includes('denied') ? 3 : 0
}

async function replay(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const { judged, differences, notJudged } = await runtime.policy.replay(
      chosenSession(line, runtime, terminal),
    )
    if (line.has('--json')) {
      terminal.json({ differences, judged, not_judged: notJudged })
      return 0
    }
    for (const { execution, name, was, now, gate, fact } of differences)
      terminal.print(safeWords(`${execution}  ${name}: was ${was}, now ${now} (${gate}: ${fact})`))
    for (const { execution, name, why } of notJudged)
      terminal.print(safeWords(`${execution}  ${name}: not judged, ${why}`))
    terminal.print(`${judged} calls judged again, ${differences.length} would be judged differently.`)
    return 0
  } finally {
    await runtime.close()
  }
}
