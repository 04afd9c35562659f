import { isJsonObject } from '../../../core/json/value.ts'
import { describeProblem } from '../../../core/json/problem.ts'
import { scanJsonText } from '../../../core/json/scan.ts'
import type { ParsedLine } from '../arguments.ts'
import { runGivenCalls } from '../run-given-calls.ts'
import { readInput, readStdin } from '../stdin.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../trouble.ts'

/** What a call is made of; other fields are ignored, whatever is in them. */
const ENVELOPE: ReadonlySet<string | number> = new Set(['id', 'name', 'args', 'meta'])

/** `tongs batch [FILE|-]`: an array of calls, one result each, in order. */
export async function batch(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [from = '-'] = line.words
  const scan = scanJsonText(from === '-' ? readStdin() : readInput(from), { argsAt: 2 })
  const shape = 'a batch looks like [{"id": "1", "name": "read_file", "args": {"path": "a.txt"}}]'
  if (!scan.ok)
    throw new UsageError(
      `the batch is no JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      shape,
    )
  if (!Array.isArray(scan.value)) throw new UsageError('the batch is no JSON array', shape)
  const calls = scan.value.map((element: unknown, index) => {
    const problems = scan.problems
      .filter(({ pointer: [call, field] }) => call === index && (field === undefined || ENVELOPE.has(field)))
      .map(describeProblem)
    return isJsonObject(element) ? { ...element, problems } : element
  })
  return runGivenCalls(calls, line, terminal)
}
