import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { SEARCH_TOOLS } from '../../core/registry.ts'
import type { ToolResult } from '../../core/result.ts'
import { rowsOf } from '../log/spoken-batch.ts'
import type { Transcript } from '../log/transcript.ts'

/**
 * The tools that the model has found in a conversation, in the order of finding. They are read off the results that were
 * sent to it, so a conversation that goes on later, was recovered or is a copy has the same ones.
 */
export function findFound({ spoken }: Pick<Transcript, 'spoken'>): readonly string[] {
  const names = new Set<string>()
  for (const one of spoken) {
    if (one.role !== 'results' || one.batch.recovered === 'discard') continue
    for (const row of rowsOf(one.batch)) for (const name of namesIn(row)) names.add(name)
  }
  return [...names]
}

/** The tools that a result of `search_tools` names; none if it is the result of another call. */
function namesIn(result: ToolResult): readonly string[] {
  const rows: JsonValue | undefined =
    result.ok && result.name === SEARCH_TOOLS ? result.result['tools'] : undefined
  if (!Array.isArray(rows)) return []
  return rows.flatMap((row: JsonValue) => {
    const name = isJsonObject(row) ? row['name'] : undefined
    return typeof name === 'string' ? [name] : []
  })
}
