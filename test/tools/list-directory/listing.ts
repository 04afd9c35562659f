import type { ToolResult } from '../../../src/core/result.ts'
import { outputOf } from '../../bench-folder.ts'

/** Files at every depth, one of them hidden. */
export const TREE = {
  'b.txt': 'bb',
  'a/one.txt': '1',
  'a/deep/two.txt': '22',
  'a/deep/er/three.txt': '333',
  '.secret': 's',
}

/** One entry, as a caller reads it from the JSON. */
export interface ListedEntry {
  readonly name: string
  readonly path: string
  readonly depth: number
  readonly type: string
  readonly size_bytes: number | null
  readonly modified_epoch_ms: number | null
  readonly is_hidden: boolean
  readonly error_code: string | null
  readonly error: string | null
}

/** The entries of a listing that must have succeeded. */
export function entriesOf(result: ToolResult | undefined): readonly ListedEntry[] {
  return outputOf(result)['entries'] as unknown as readonly ListedEntry[]
}

/** Their paths, in the order given. */
export function pathsOf(result: ToolResult | undefined): readonly string[] {
  return entriesOf(result).map(({ path }) => path)
}
