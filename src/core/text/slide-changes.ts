/** The lines of one of two texts, and which of them the other one does not have. */
export interface ChangedLines {
  readonly lines: readonly string[]
  readonly isChanged: boolean[]
}

/** A run of changed lines, or the empty one between two lines that stayed; `to` is exclusive. */
interface Group {
  from: number
  to: number
}

/**
 * Moves changed lines among equal ones to the place where git sees them. A group that could be elsewhere goes up as far
 * as it can, and takes in what it touches there, and then down; of all these places it keeps the last one, but prefers
 * the last that is beside a change of the other text.
 */
export function slideChanges(own: ChangedLines, other: ChangedLines): void {
  const group = firstGroup(own)
  const opposite = firstGroup(other)
  do {
    if (group.to > group.from) slide(own, group, other, opposite)
    toNext(other, opposite)
  } while (toNext(own, group))
}

function slide(own: ChangedLines, group: Group, other: ChangedLines, opposite: Group): void {
  let size = 0
  let isBeside = false
  do {
    size = group.to - group.from
    while (slideUp(own, group)) toPrevious(other, opposite)
    isBeside = isFull(opposite)
    while (slideDown(own, group)) {
      toNext(other, opposite)
      isBeside ||= isFull(opposite)
    }
  } while (size !== group.to - group.from)
  if (!isBeside) return
  while (!isFull(opposite) && slideUp(own, group)) toPrevious(other, opposite)
}

function isFull({ from, to }: Group): boolean {
  return to > from
}

function firstGroup({ isChanged }: ChangedLines): Group {
  let to = 0
  while (isChanged[to] === true) to++
  return { from: 0, to }
}

/** Goes on to the group behind the next line that stayed; false at the end. */
function toNext({ lines, isChanged }: ChangedLines, group: Group): boolean {
  if (group.to === lines.length) return false
  group.from = group.to + 1
  group.to = group.from
  while (isChanged[group.to] === true) group.to++
  return true
}

function toPrevious({ isChanged }: ChangedLines, group: Group): void {
  if (group.from === 0) return
  group.to = group.from - 1
  group.from = group.to
  while (isChanged[group.from - 1] === true) group.from--
}

/** Moves a group up by a line, and takes in the group that it touches then; false if it cannot be there. */
function slideUp({ lines, isChanged }: ChangedLines, group: Group): boolean {
  if (group.from === 0 || lines[group.from - 1] !== lines[group.to - 1]) return false
  isChanged[--group.from] = true
  isChanged[--group.to] = false
  while (isChanged[group.from - 1] === true) group.from--
  return true
}

function slideDown({ lines, isChanged }: ChangedLines, group: Group): boolean {
  if (group.to === lines.length || lines[group.from] !== lines[group.to]) return false
  isChanged[group.from++] = false
  isChanged[group.to++] = true
  while (isChanged[group.to] === true) group.to++
  return true
}
