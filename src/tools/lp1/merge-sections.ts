import type { Patch, Section } from './operation.ts'

/**
 * Joins sections whose paths have the same key, in the place of the first one, so that the later
 * operations continue on the result of the earlier. Only the caller knows which paths are one file.
 */
export function mergeSections(patch: Patch, keyOf: (path: string) => string): Patch {
  const groups = Map.groupBy(patch.sections, (section) => keyOf(section.path))
  return { sections: [...groups.values()].map(joinGroup).filter((section) => section !== undefined) }
}

function joinGroup(group: readonly Section[]): Section | undefined {
  const [first] = group
  return first && { path: first.path, line: first.line, ops: group.flatMap((section) => section.ops) }
}
