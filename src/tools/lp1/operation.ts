/** Replaces the lines it finds (`R`), or inserts after (`I`) or before (`P`) them. */
export type RewriteOp = {
  readonly letter: 'R' | 'I' | 'P'
  readonly line: number
  /** Which match is meant; null requires exactly one match. */
  readonly occurrence: number | null
  readonly find: readonly string[]
  readonly fresh: readonly string[]
}

/** Deletes the lines it finds. */
export type EraseOp = {
  readonly letter: 'E'
  readonly line: number
  readonly occurrence: number | null
  readonly find: readonly string[]
}

/** Adds lines at the end (`T`) or at the start (`B`) of the file. */
export type EdgeOp = { readonly letter: 'T' | 'B'; readonly line: number; readonly fresh: readonly string[] }

/** Whether the file should end in a newline. */
export type NewlineOp = { readonly letter: 'N'; readonly line: number; readonly endsInNewline: boolean }

export type MatchOp = RewriteOp | EraseOp
export type Op = MatchOp | EdgeOp | NewlineOp

/** The operations on one path; `line` is the patch line of its `F`. */
export type Section = { readonly path: string; readonly line: number; readonly ops: readonly Op[] }
export type Patch = { readonly sections: readonly Section[] }

/** Whether an operation needs existing lines. */
export function isMatchOp(op: Op): op is MatchOp {
  return op.letter === 'R' || op.letter === 'I' || op.letter === 'P' || op.letter === 'E'
}

/**
 * Merges sections whose paths have the same key, at the position of the first one, so that later operations continue
 * on the result of the earlier ones. Only the caller knows which paths are the same file.
 */
export function mergeSections(patch: Patch, keyOf: (path: string) => string): Patch {
  const groups = Map.groupBy(patch.sections, (section) => keyOf(section.path))
  return { sections: [...groups.values()].map(joinGroup).filter((section) => section !== undefined) }
}

function joinGroup(group: readonly Section[]): Section | undefined {
  const [first] = group
  return first && { path: first.path, line: first.line, ops: group.flatMap((section) => section.ops) }
}
