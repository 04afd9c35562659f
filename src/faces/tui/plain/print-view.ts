import type { Canvas } from '../draw/canvas.ts'
import { drawBlock, drawEnding } from '../draw/draw-block.ts'
import { findTurnEndings } from '../view/turn-ending.ts'
import { findSpeaker } from '../view/view.ts'
import type { Block, View } from '../view/view.ts'
import { tailLines } from '../view/output-tail.ts'

/** Prints a view as it grows: each piece once, when it has come to rest. */
export function createViewPrinter(
  print: (row: string) => void,
  canvas: () => Canvas,
  outputLines: () => number,
): (view: View) => void {
  const printed = new Set<string>()
  const heard = new Map<string, number>()

  /** New lines of a running command; those that came too fast are only counted. */
  function printOutput(view: View): void {
    const call = findSpeaker(view)
    if (call === null) return
    const known = heard.get(call.key) ?? 0
    const fresh = call.tail.lines - known
    if (fresh <= 0) return
    heard.set(call.key, call.tail.lines)
    const rows = tailLines(
      { ...call.tail, raw: call.tail.raw.slice(0, call.tail.raw.lastIndexOf('\n') + 1) },
      outputLines(),
    )
    if (fresh > rows.length) print(`  | (${fresh - rows.length} lines)`)
    for (const row of rows.slice(-fresh)) print(`  | ${row}`)
  }

  return (view) => {
    printOutput(view)
    for (const block of view.blocks) {
      if (printed.has(block.key)) continue
      if (!isAtRest(block)) break
      printed.add(block.key)
      for (const row of drawBlock(block, { isOpen: false, isSelected: false }, canvas())) print(row)
    }
    for (const ending of findTurnEndings(view)) {
      const key = `${ending.turn} ${ending.standing}`
      if (!printed.has(ending.after) || printed.has(key)) continue
      printed.add(key)
      for (const row of drawEnding(ending, canvas())) print(row)
    }
  }
}

function isAtRest(block: Block): boolean {
  return (
    block.kind !== 'call' ||
    block.result !== null ||
    block.progress === 'held' ||
    block.progress === 'interrupted'
  )
}
