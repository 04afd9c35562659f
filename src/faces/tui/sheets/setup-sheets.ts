import type { SetupDialogs, TextQuestion } from '../../../setup/setup-dialogs.ts'
import { truncateStart } from '../../../terminal/fit-rows.ts'
import { fit, plainLine } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { askChoice, drawHead, editText } from './choice-sheet.ts'
import { ONE_MOMENT } from './sheet.ts'
import type { SheetStack } from './sheet.ts'

const NONE: ReadonlySet<string> = new Set()

/** The dialogs of setup as sheets. */
export function createSetupSheets(stack: SheetStack): SetupDialogs {
  return {
    choose: (question) => askChoice(stack, question),
    type: (question) => askText(stack, question),
    during: (what, work) => waitDuring(stack, what, work),
  }
}

/** A line of text; a secret one is never drawn. */
function askText(stack: SheetStack, question: TextQuestion): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  let typed = ''
  const close = stack.open({
    draw: (canvas, _height, acceptsKeys) => drawText(question, typed, canvas, acceptsKeys),
    press(key, text) {
      if (key === 'escape') resolve(null)
      else if (key === 'enter') resolve(typed)
      else typed = editText(typed, key, text)
    },
    deciding: NONE,
    harmless: NONE,
    takesText: () => true,
  })
  return promise.finally(close)
}

function drawText(
  { title, rows = [], isSecret = false }: TextQuestion,
  typed: string,
  canvas: Canvas,
  acceptsKeys: boolean,
): readonly string[] {
  const { paint, columns } = canvas
  const shown = isSecret ? describeSecret(typed) : `${plainLine(typed)}_`
  return [
    ...drawHead(title, rows, canvas),
    ` > ${truncateStart(shown, Math.max(8, columns - 4))}`,
    paint('dim', acceptsKeys ? ' Enter goes on · Esc back' : ONE_MOMENT),
  ].map((row) => fit(row, columns))
}

/** How much was typed, so that a person sees that pasting worked. */
function describeSecret(typed: string): string {
  return typed === '' ? '_' : `(${typed.length} characters, not shown)`
}

/** Says what is going on; Esc stops it. */
async function waitDuring<T>(
  stack: SheetStack,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const stop = new AbortController()
  const { promise: stopped, resolve } = Promise.withResolvers<null>()
  stop.signal.addEventListener('abort', () => resolve(null), { once: true })
  const close = stack.open({
    draw: ({ columns, paint }) => [
      fit(` ${plainLine(what)}`, columns),
      fit(paint('dim', ' Esc stops'), columns),
    ],
    press: (key) => {
      if (key === 'escape') stop.abort()
    },
    deciding: NONE,
    harmless: NONE,
    takesText: () => true,
  })
  try {
    return await Promise.race([work(stop.signal), stopped])
  } finally {
    close()
  }
}
