import { findTurnEndings } from '../view/turn-ending.ts'
import type { TurnEnding } from '../view/turn-ending.ts'
import { callsOf } from '../view/view.ts'
import type { Block, View } from '../view/view.ts'
import type { Canvas } from './canvas.ts'
import { fit, plain, plainLine, spinner, wrap } from './canvas.ts'
import { drawBlock, drawEnding } from './draw-block.ts'
import type { Opened } from './draw-call.ts'
import { drawMarkdown } from './draw-markdown.ts'

/** The drawn conversation. */
export interface DrawnTranscript {
  readonly rows: readonly string[]
  /** The keys of calls by their header row. */
  readonly headers: ReadonlyMap<number, string>
}

/** Which calls are expanded, and which one is selected. */
export interface ExpandedRows {
  /** How far calls are opened, by their keys; the others are closed. */
  readonly opened: ReadonlyMap<string, Opened>
  readonly selected: string | null
}

interface Drawn {
  readonly columns: number
  readonly opened: Opened
  readonly isSelected: boolean
  readonly rows: readonly string[]
}

/** Draws the blocks of a conversation, each again only if it has changed. */
export interface BlockDrawer {
  readonly rowsOf: (block: Block, expanded: ExpandedRows, canvas: Canvas) => readonly string[]
  /** What the turns of a view changed, by the key of the last block of each. */
  readonly endingsOf: (view: View) => ReadonlyMap<string, TurnEnding>
}

/** Creates a drawer that caches unchanged blocks. */
export function createBlockDrawer(): BlockDrawer {
  const drawn = new WeakMap<Block, Drawn>()
  let endingsFor: {
    readonly blocks: View['blocks']
    readonly turn: string | null
    readonly endings: ReadonlyMap<string, TurnEnding>
  } | null = null

  return {
    rowsOf(block, expanded, canvas) {
      const opened = (block.kind === 'call' && expanded.opened.get(block.key)) || 'closed'
      const isSelected = block.kind === 'call' && expanded.selected === block.key
      const known = drawn.get(block)
      if (known?.columns === canvas.columns && known.opened === opened && known.isSelected === isSelected)
        return known.rows
      const laidOut = drawBlock(block, { opened, isSelected }, canvas)
      // The library lays out Markdown by its own widths, and its rows may fill the screen.
      const rows = block.kind === 'answer' ? laidOut : laidOut.map((row) => fit(row, canvas.columns))
      const isMoving = block.kind === 'call' && block.progress === 'running'
      if (!isMoving) drawn.set(block, { columns: canvas.columns, opened, isSelected, rows })
      return rows
    },
    endingsOf(view) {
      if (endingsFor?.blocks !== view.blocks || endingsFor.turn !== view.turn) {
        const endings = new Map(findTurnEndings(view).map((ending) => [ending.after, ending]))
        endingsFor = { blocks: view.blocks, turn: view.turn, endings }
      }
      return endingsFor.endings
    },
  }
}

/** Draws a whole conversation. */
export function drawTranscript(
  { rowsOf, endingsOf }: BlockDrawer,
  view: View,
  expanded: ExpandedRows,
  canvas: Canvas,
): DrawnTranscript {
  const rows: string[] = []
  const headers = new Map<number, string>()
  const endings = endingsOf(view)
  for (const block of view.blocks) {
    if (block.kind === 'call') headers.set(rows.length, block.key)
    for (const row of rowsOf(block, expanded, canvas)) rows.push(row)
    const ending = block.kind === 'notice' ? undefined : endings.get(block.key)
    if (ending !== undefined) rows.push(...drawEndingRows(ending, canvas))
  }
  rows.push(...drawComing(view, canvas))
  return { rows, headers }
}

/** The rows below what a turn did. */
export function drawEndingRows(ending: TurnEnding, canvas: Canvas): readonly string[] {
  return drawEnding(ending, canvas).map((row) => fit(row, canvas.columns))
}

/** Draws what follows the blocks: calls that wait for a result, and what the model is saying. */
export function drawComing(view: View, canvas: Canvas): readonly string[] {
  const held = drawHeld(view, canvas)
  if (view.speaking !== '') return [...held, '', ...drawMarkdown(view.speaking, canvas)]
  if (view.turn === null)
    return view.drafted === '' ? held : [...held, '', ...drawMarkdown(view.drafted, canvas)]
  if (hasOpenCall(view)) return held
  return [
    ...held,
    '',
    ` ${canvas.paint('cyan', spinner(canvas))} ${canvas.paint('dim', 'waiting for the model')}`,
  ]
}

/** Draws the calls that wait for supplied results, and how to supply them. */
function drawHeld(view: View, { columns, paint }: Canvas): readonly string[] {
  const held = callsOf(view).filter(({ progress, result }) => progress === 'held' && result === null)
  if (held.length === 0) return []
  const names = held.map(({ id, name }) => `   ${plainLine(id)}  ${plainLine(name)}`)
  const way = 'Supply each result with /tool ID RESULT, or /tool error ID TEXT.'
  return [
    ...wrap(`Calls waiting for your result: ${held.length}`, columns, ' ').map((row) => paint('yellow', row)),
    ...names,
    ...wrap(way, columns, ' '),
  ].map((row) => fit(row, columns))
}

/** Draws text that waits, and for what, so that it does not seem lost. */
export function drawWaitingWords(
  words: readonly string[],
  until: string,
  { columns, paint }: Canvas,
): readonly string[] {
  if (words.length === 0) return []
  return [
    '',
    ...words.flatMap((text) => wrap(plain(text), columns, '> ')),
    ...wrap(until, columns, '  '),
  ].map((row) => paint('dim', fit(row, columns)))
}

function hasOpenCall(view: View): boolean {
  return view.blocks.some(
    (block) => block.kind === 'call' && block.turn === view.turn && block.result === null,
  )
}
