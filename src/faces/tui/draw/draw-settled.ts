import type { Block, View } from '../view/view.ts'
import type { Canvas } from './canvas.ts'
import { drawComing, drawEndingRows } from './draw-transcript.ts'
import type { BlockDrawer, ExpandedRows } from './draw-transcript.ts'

/** A conversation on a screen whose rows scroll away: what can be printed for good now, and what may still change. */
export interface SettledRows {
  readonly settled: readonly string[]
  readonly live: readonly string[]
}

/** What is printed. */
export interface Printable {
  readonly view: View
  readonly session: string
  /** The rows above the first block, and whether they may still change. */
  readonly start: { readonly rows: readonly string[]; readonly isSettled: boolean }
  /** Whether nothing runs, so that whatever has no result waits for a person. */
  readonly isIdle: boolean
}

const CLOSED: ExpandedRows = { opened: new Map(), selected: null }

/** Creates a drawer that hands out each block once it is settled, and until then as live. */
export function createSettledDrawer({ rowsOf, endingsOf }: BlockDrawer) {
  const printed = new Set<string>()
  // Notices have no key and are never replaced.
  const notices = new WeakSet<Block>()
  let shown: string | null = null

  return ({ view, session, start, isIdle }: Printable, canvas: Canvas): SettledRows => {
    const settled: string[] = []
    const live: string[] = []
    const endings = endingsOf(view)
    // A session that someone comes back to is shown again.
    if (session !== shown) printed.clear()
    shown = session
    /** Prints rows unless they were printed, or keeps them live behind others that are. */
    function add(name: string, isSettled: boolean, rows: () => readonly string[]): void {
      if (printed.has(name)) return
      const isPrinted = isSettled && live.length === 0
      if (isPrinted) printed.add(name)
      const place = isPrinted ? settled : live
      place.push(...rows())
    }
    add('start', start.isSettled, () => start.rows)
    for (const block of view.blocks) {
      if (block.kind === 'notice') {
        if (notices.has(block)) continue
        if (live.length === 0) notices.add(block)
        const place = live.length === 0 ? settled : live
        place.push(...rowsOf(block, CLOSED, canvas))
        continue
      }
      const hasEnded = block.kind !== 'call' || block.result !== null
      // What waits is printed as it is now, and once more when it has ended.
      const name = `${block.key}${hasEnded ? '' : ` ${block.kind === 'call' ? block.progress : ''}`}`
      add(name, hasEnded || isIdle, () => rowsOf(block, CLOSED, canvas))
      const ending = endings.get(block.key)
      if (ending !== undefined) add(`${ending.turn} ends`, true, () => drawEndingRows(ending, canvas))
    }
    return { settled, live: [...live, ...drawComing(view, canvas)] }
  }
}
