import { isJsonObject } from '../../../core/json/value.ts'
import { describeProblem } from '../../../core/json/problem.ts'
import { scanJsonText } from '../../../core/json/scan.ts'
import type { ParsedLine } from '../arguments.ts'
import { runGivenCalls } from '../run-given-calls.ts'
import { readStdin } from '../stdin.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../trouble.ts'

/** `tongs call TOOL [ARGS|-]`: one call through the whole pipeline. */
export async function call(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [name = '', given] = line.words
  const text = given === undefined ? '{}' : given === '-' ? readStdin() : given
  const scan = scanJsonText(text)
  if (!scan.ok) {
    throw new UsageError(
      `ARGS are no JSON: ${scan.message} at line ${scan.line}, column ${scan.column}`,
      `write them like '{"path": "a.txt"}'`,
    )
  }
  if (!isJsonObject(scan.value))
    throw new UsageError('ARGS are no JSON object', `write them like '{"path": "a.txt"}'`)
  const problems = scan.problems.map((problem) => describeProblem(problem))
  return runGivenCalls([{ id: 'c1', name, args: scan.value, problems }], line, terminal)
}
