/** A run of lines that were kept, removed or added. Indexes start at 0; `end` is exclusive. */
export interface DiffRun {
  readonly is: 'same' | 'removed' | 'added'
  readonly from: number
  readonly to: number
}

/** With more differing lines an exact diff is not worth its cost. */
const MOST_DIFFERENCES = 2000

/**
 * The differences between two lists of lines, as a shortest edit script if one can be found cheaply. Removed runs
 * index into `before`, added and unchanged runs into `after`. A middle that differs too much becomes one removal and
 * one addition.
 */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffRun[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++
  const runs: DiffRun[] = []
  const push = (is: DiffRun['is'], from: number, to: number): void => {
    if (from === to) return
    const last = runs.at(-1)
    if (last?.is === is && last.to === from) runs[runs.length - 1] = { is, from: last.from, to }
    else runs.push({ is, from, to })
  }
  push('same', 0, head)
  const script = findScript(before.slice(head, before.length - tail), after.slice(head, after.length - tail))
  if (script === null) {
    push('removed', head, before.length - tail)
    push('added', head, after.length - tail)
  } else {
    for (const { is, from, to } of script) push(is, from + head, to + head)
  }
  push('same', after.length - tail, after.length)
  return runs
}

/** The greedy shortest edit script, or null if it would take too long. */
function findScript(a: readonly string[], b: readonly string[]): readonly DiffRun[] | null {
  if (a.length === 0) return [{ is: 'added', from: 0, to: b.length }]
  if (b.length === 0) return [{ is: 'removed', from: 0, to: a.length }]
  const most = Math.min(a.length + b.length, MOST_DIFFERENCES)
  const offset = most + 1
  let reach = new Int32Array(2 * offset + 1)
  const history: Int32Array[] = []
  for (let d = 0; d <= most; d++) {
    history.push(reach.slice(offset - d - 1, offset + d + 2))
    const next = reach.slice()
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(reach, offset + k - 1) < at(reach, offset + k + 1))
      let x = down ? at(reach, offset + k + 1) : at(reach, offset + k - 1) + 1
      let y = x - k
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++
        y++
      }
      next[offset + k] = x
      if (x >= a.length && y >= b.length) return traceBack(a.length, b.length, history)
    }
    reach = next
  }
  return null
}

function traceBack(aLength: number, bLength: number, history: readonly Int32Array[]): readonly DiffRun[] {
  const backwards: DiffRun[] = []
  let x = aLength
  let y = bLength
  for (let d = history.length - 1; d >= 0; d--) {
    const reach = history[d] ?? new Int32Array(3)
    const middle = d + 1
    const k = x - y
    const down = k === -d || (k !== d && at(reach, middle + k - 1) < at(reach, middle + k + 1))
    const fromK = down ? k + 1 : k - 1
    const fromX = d === 0 ? 0 : at(reach, middle + fromK)
    const fromY = d === 0 ? 0 : fromX - fromK
    const startX = d === 0 ? 0 : down ? fromX : fromX + 1
    const startY = startX - k
    if (y > startY) backwards.push({ is: 'same', from: startY, to: y })
    if (d > 0)
      backwards.push(
        down ? { is: 'added', from: fromY, to: fromY + 1 } : { is: 'removed', from: fromX, to: fromX + 1 },
      )
    x = fromX
    y = fromY
  }
  return backwards.toReversed()
}

function at(list: Int32Array, index: number): number {
  return list[index] ?? 0
}
