import type { ChoiceQuestion, SetupDialogs, TextQuestion } from '../../../setup/setup-dialogs.ts'
import { filterChoices, namedChoice } from '../../../setup/setup-dialogs.ts'
import { truncateStart } from '../../../terminal/fit-rows.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { ONE_MOMENT } from './sheet.ts'
import type { SheetStack } from './sheet.ts'

/** Longer than any key. */
const MOST_CHARS = 8_192
const NONE: ReadonlySet<string> = new Set()

/** The dialogs of setup as sheets. */
export function createSetupSheets(stack: SheetStack): SetupDialogs {
  return {
    choose: (question) => askChoice(stack, question),
    type: (question) => askText(stack, question),
    during: (what, work) => waitDuring(stack, what, work),
  }
}

/** A list that typing filters. */
function askChoice<T>(stack: SheetStack, question: ChoiceQuestion<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<T | null>()
  let typed = ''
  let at = 0
  const matching = () => filterChoices(question.choices, typed)

  function take(): void {
    const named = at === 0 && typed !== '' ? namedChoice(question.choices, typed) : null
    const chosen = named ?? matching()[at]
    if (chosen !== undefined) resolve(chosen.value)
    else {
      const other = question.other?.(typed) ?? null
      if (other !== null) resolve(other)
    }
  }

  const close = stack.open({
    draw: (canvas, height, acceptsKeys) =>
      drawChoice(question, { typed, at, offered: matching() }, canvas, { height, acceptsKeys }),
    press(key, text) {
      const { length } = matching()
      if (key === 'escape') resolve(null)
      else if (key === 'enter') take()
      else if (key === 'up') at = Math.max(0, at - 1)
      else if (key === 'down') at = Math.max(0, Math.min(length - 1, at + 1))
      else {
        typed = editText(typed, key, text)
        at = 0
      }
    },
    deciding: NONE,
    harmless: NONE,
    takesText: () => true,
  })
  return promise.finally(close)
}

interface ChoiceView {
  readonly typed: string
  readonly at: number
  readonly offered: ChoiceQuestion<unknown>['choices']
}

interface Place {
  readonly height: number
  readonly acceptsKeys: boolean
}

function drawChoice(
  { title, rows = [], other }: ChoiceQuestion<unknown>,
  { typed, at, offered }: ChoiceView,
  canvas: Canvas,
  { height, acceptsKeys }: Place,
): readonly string[] {
  const { paint, columns } = canvas
  const head = drawHead(title, rows, canvas)
  const filter = typed === '' ? paint('dim', ' type to filter') : ` ${plainLine(typed)}_`
  const keys = ' Up, Down choose · Enter takes it · Esc back'
  const room = Math.max(3, height - head.length - 2)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), offered.length - room))
  const list = offered.slice(first, first + room).map(({ label, note }, index) => {
    const row = ` ${first + index === at ? '>' : ' '} ${plainLine(label)}`
    const more = note === undefined ? '' : `  ${plainLine(note)}`
    return first + index === at
      ? paint('inverse', fit(row + more, columns))
      : fit(row + paint('dim', more), columns)
  })
  const left = offered.length - list.length
  const count = left > 0 ? paint('dim', `   (${left} more)`) : ''
  const nothing =
    other === undefined ? ' Nothing matches that.' : ' Not in the list; Enter takes it as typed.'
  return [
    ...head,
    ...(list.length === 0 ? [nothing] : list),
    filter + count,
    paint('dim', acceptsKeys ? keys : ONE_MOMENT),
  ].map((row) => fit(row, columns))
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

function editText(typed: string, key: string, text: string): string {
  if (key === 'backspace') return [...typed].slice(0, -1).join('')
  if (key === 'ctrl+u') return ''
  return text === '' || typed.length + text.length > MOST_CHARS ? typed : typed + text
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

function drawHead(title: string, rows: readonly string[], { paint, columns }: Canvas): readonly string[] {
  return [
    ...wrap(plainLine(title), columns - 2).map((row) => paint('inverse', ` ${row} `)),
    ...rows.flatMap((row) => wrap(plainLine(row), columns, ' ')),
  ]
}
