import type { ToolResult } from '../../../src/core/result.ts'
import type { MatchRow } from '../../../src/tools/finding/match-row.ts'
import { outputOf } from '../../bench-folder.ts'

/** One file, as a caller reads it from the JSON. */
export interface FoundRow {
  readonly path: string
  readonly size: number
  readonly mtime: number
  readonly type: string
}

/** The rows of a result of `list_files` or `glob`. */
export function filesOf(result: ToolResult | undefined): readonly FoundRow[] {
  return (outputOf(result) as unknown as { files: readonly FoundRow[] }).files
}

/** Their paths. */
export function pathsOf(result: ToolResult | undefined): readonly string[] {
  return filesOf(result).map(({ path }) => path)
}

/** The rows of a result of `search`. */
export function matchesOf(result: ToolResult | undefined): readonly MatchRow[] {
  return (outputOf(result) as unknown as { matches: readonly MatchRow[] }).matches
}

/** Where the matches are: `path:line:column`. */
export function placesOf(result: ToolResult | undefined): readonly string[] {
  return matchesOf(result).map(({ path, line, column }) => `${path}:${line}:${column}`)
}
