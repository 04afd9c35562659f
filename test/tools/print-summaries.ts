import { statSync } from 'node:fs'
import type { JsonObject } from '../../src/core/json/value.ts'
import { builtInTools } from '../../src/tools/built-in.ts'

/** What a process that may read nothing but the sources found out. */
export interface Printed {
  readonly summaries: Readonly<Record<string, string>>
  /** What became of an attempt to look at a file, which shows that the bars hold. */
  readonly attempt: string
}

const calls = JSON.parse(process.argv[2] ?? '') as Readonly<Record<string, JsonObject>>
const summaries = Object.fromEntries(
  builtInTools.map((tool) => [tool.name, tool.summary(calls[tool.name] ?? {})]),
)

function look(path: string): string {
  try {
    statSync(path)
    return 'allowed'
  } catch (thrown) {
    return String((thrown as { readonly code?: unknown }).code)
  }
}

const printed: Printed = { summaries, attempt: look('a.txt') }
process.stdout.write(JSON.stringify(printed))
