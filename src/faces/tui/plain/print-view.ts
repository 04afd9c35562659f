import type { Canvas } from '../draw/canvas.ts'
import { drawBlock, drawEnding } from '../draw/draw-block.ts'
import { findTurnEndings } from '../view/turn-ending.ts'
import { findPrinting } from '../view/view.ts'
import type { Block, View } from '../view/view.ts'
import { tailLines } from '../view/output-tail.ts'

/** Prints a session as it grows: each block once, when it is settled. Words that the terminal echoed are not said again. */
export function createViewPrinter(
  print: (row: string) => void,
  canvas: () => Canvas,
  outputLines: () => number,
  isOnScreen: (said: string) => boolean = () => false,
): (view: View, session: string) => void {
  const printed = new Set<string | Block>()
  const printedLines = new Map<string, number>()

  /** Prints new lines of a running command; lines that came too fast are only counted. */
  function printOutput(view: View): void {
    const call = findPrinting(view)
    if (call === null) return
    const known = printedLines.get(call.key) ?? 0
    const fresh = call.tail.lines - known
    if (fresh <= 0) return
    printedLines.set(call.key, call.tail.lines)
    const rows = tailLines(
      { ...call.tail, raw: call.tail.raw.slice(0, call.tail.raw.lastIndexOf('\n') + 1) },
      outputLines(),
    )
    if (fresh > rows.length) print(`  | (${fresh - rows.length} lines)`)
    for (const row of rows.slice(-fresh)) print(`  | ${row}`)
  }

  return (view, session) => {
    printOutput(view)
    for (const block of view.blocks) {
      // Notices have no key and are never replaced.
      const name = block.kind === 'notice' ? block : `${session} ${block.key}`
      // Unsettled blocks are printed later, so that a postponed approval holds nothing up.
      if (printed.has(name) || !isAtRest(block)) continue
      printed.add(name)
      if (block.kind === 'said' && isOnScreen(block.text)) continue
      for (const row of drawBlock(block, { opened: 'closed', isSelected: false }, canvas())) print(row)
    }
    for (const ending of findTurnEndings(view)) {
      const name = `${ending.turn} ${ending.status}`
      if (!printed.has(`${session} ${ending.after}`) || printed.has(name)) continue
      printed.add(name)
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
