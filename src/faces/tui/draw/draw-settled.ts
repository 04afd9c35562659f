import type { Block, View } from '../view/view.ts'
import type { Canvas } from './canvas.ts'
import type { StartRows } from './draw-start.ts'
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
  /** The rows above the first block, and whether the open ones among them hold by now. */
  readonly start: StartRows & { readonly isSettled: boolean }
  /** Whether nothing runs, so that whatever has no result waits for a person. */
  readonly isIdle: boolean
  /** Calls that a sheet below shows. */
  readonly asked: ReadonlySet<string>
}

const CLOSED: ExpandedRows = { opened: new Map(), selected: null }

/** Creates a drawer that hands out each block once it is settled, and until then as live. */
export function createSettledDrawer({ rowsOf, endingsOf }: BlockDrawer) {
  const printed = new Set<string>()
  // Notices have no key and are never replaced.
  const notices = new WeakSet<Block>()
  let shown: string | null = null

  return ({ view, session, start, isIdle, asked }: Printable, canvas: Canvas): SettledRows => {
    const settled: string[] = []
    const live: string[] = []
    /** Whether something may still change, so that nothing behind it is printed for good. */
    let isOpen = false
    const endings = endingsOf(view)
    // A session that someone comes back to is shown again.
    if (session !== shown) printed.clear()
    shown = session
    /** Prints rows unless they were printed, or keeps them live behind others that are. */
    function add(name: string, isSettled: boolean, rows: () => readonly string[]): void {
      if (printed.has(name)) return
      const isPrinted = isSettled && !isOpen
      if (isPrinted) printed.add(name)
      else isOpen = true
      const place = isPrinted ? settled : live
      place.push(...rows())
    }
    // Some terminals scroll as many rows away as wrap when they get narrower: the fewer of them can change, the better.
    add('start', true, () => start.known)
    add('start ends', start.isSettled, () => start.open)
    for (const block of view.blocks) {
      if (block.kind === 'notice') {
        if (notices.has(block)) continue
        if (!isOpen) notices.add(block)
        const place = isOpen ? live : settled
        place.push(...rowsOf(block, CLOSED, canvas))
        continue
      }
      const hasEnded = block.kind !== 'call' || block.result !== null
      // What waits is printed as it is now, and once more when it has ended.
      const name = `${block.key}${hasEnded ? '' : ` ${block.kind === 'call' ? block.progress : ''}`}`
      const isAsked = !hasEnded && asked.has(block.key)
      // What an interruption left running is about to be marked as such.
      const isRunning = block.kind === 'call' && block.progress === 'running'
      const isWaiting = isIdle && !isAsked && !isRunning
      add(name, hasEnded || isWaiting, () => (isAsked ? [] : rowsOf(block, CLOSED, canvas)))
      const ending = endings.get(block.key)
      if (ending !== undefined) add(`${ending.turn} ends`, true, () => drawEndingRows(ending, canvas))
    }
    return { settled, live: [...live, ...drawComing(view, canvas)] }
  }
}
