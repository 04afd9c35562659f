import { showPath } from '../../core/text/display/show-path.ts'
import { relativeTo } from './rel-path.ts'

/** A path for a sentence: what lies in the root that is worked in is named from there, as everywhere. */
export function fromRoot(path: string, [root]: readonly string[]): string {
  return showPath((root === undefined ? null : relativeTo(root, path)) ?? path)
}
