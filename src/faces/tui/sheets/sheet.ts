import { QUIET_MS } from '../../../config/fixed-values.ts'
import type { Canvas } from '../draw/canvas.ts'

/** A modal sheet that has to be answered first. */
export interface Sheet {
  readonly draw: (canvas: Canvas, height: number, acceptsKeys: boolean) => readonly string[]
  /** Handles a key by its name and its text. */
  readonly press: (key: string, text: string) => void
  /** Keys that give an answer. */
  readonly deciding: ReadonlySet<string>
  /** Other letters with a meaning; all, if letters are a line that a deciding key ends. */
  readonly harmless: ReadonlySet<string> | 'all'
  /** Whether the user opened it with a key and types on, so that keys count at once. */
  readonly isExpected?: boolean
  /** Whether text is being typed, so that letters are not commands. */
  readonly takesText?: () => boolean
  /** The calls it is about; it says all that there is to say of them. */
  readonly calls?: ReadonlySet<string>
}

/** The open sheets, the newest on top. */
export interface SheetStack {
  readonly top: () => Sheet | null
  /** Whether keys count: those pressed before a sheet was seen must not answer it. */
  readonly acceptsKeys: () => boolean
  readonly open: (sheet: Sheet) => () => void
  readonly press: (key: string, text: string) => void
}

/** Shown instead of the keys until the sheet accepts them. */
export const ONE_MOMENT = ' one moment: keys pressed before this was shown do not count'

/** An answering letter counts only if no other key follows within this time. */
const LONE_MS = 200
/** How long keyboards usually wait before they repeat a key that is held, and how far apart repetitions are at most. */
const REPEAT_MS = { first: 750, next: 150 } as const

const UNUSED = { key: '', at: -Infinity, lastAt: -Infinity }

/** Creates a stack; `onChange` is called whenever it changes. */
export function createSheetStack(onChange: () => void): SheetStack {
  const sheets: Sheet[] = []
  let quietSince = 0
  /** The sheet that was drawn with its keys since keys were last ignored: no other has shown what they mean. */
  let ready: Sheet | null = null
  let answeredAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let lone: { readonly key: string; readonly timer: NodeJS.Timeout } | null = null
  /** The letter that gave the last answer: when it was pressed, and when it came last. */
  let used = UNUSED

  function ignoreKeys(): void {
    dropLone()
    quietSince = performance.now()
    ready = null
    drawOnceQuiet()
    onChange()
  }

  function drawOnceQuiet(): void {
    clearTimeout(timer)
    timer = setTimeout(onChange, Math.max(QUIET_MS, REPEAT_MS.first - sinceUsed()) + 1).unref()
  }

  /** Drops the pending letter; true if there was one. */
  function dropLone(): boolean {
    if (lone === null) return false
    clearTimeout(lone.timer)
    lone = null
    return true
  }

  const sinceUsed = (): number => performance.now() - used.at
  const isQuiet = (): boolean => performance.now() - quietSince >= QUIET_MS
  const wasJustAnswered = (): boolean => performance.now() - answeredAt < QUIET_MS

  /** Whether the user is typing text and has not seen the sheet: an unknown letter, or one right after another. */
  function isTyping({ deciding, harmless }: Sheet, key: string, text: string, wasLone: boolean): boolean {
    const isKnown = harmless === 'all' || deciding.has(key) || harmless.has(key)
    return text !== '' && (wasLone || !isKnown)
  }

  function take(sheet: Sheet, key: string, text: string): void {
    // A keyboard that repeats a key stops as soon as another one is pressed.
    if (key !== used.key && (key !== '' || text !== '')) used = UNUSED
    const isDeciding = sheet.deciding.has(key) && sheet.takesText?.() !== true
    const isRepeated = isDeciding && repeats(key)
    // A key that repeats is one answer; one that was held before the question came is none.
    if (lone?.key === key) {
      if (isRepeated) dropLone()
      return
    }
    // Whatever the other key does, such as to go to another question, the letter was not meant for what follows it.
    const wasLone = (key !== '' || text !== '') && dropLone()
    if (sheet.takesText?.() === true) sheet.press(key, text)
    else if (isTyping(sheet, key, text, wasLone)) ignoreKeys()
    else if (isDeciding && (isRepeated || isHeld())) return
    else if (isDeciding) lone = { key, timer: setTimeout(() => decide(sheet, key, text), LONE_MS) }
    else sheet.press(key, text)
  }

  function decide(sheet: Sheet, key: string, text: string): void {
    lone = null
    answeredAt = performance.now()
    used = { key, at: answeredAt - LONE_MS, lastAt: Math.max(used.lastAt, answeredAt - LONE_MS) }
    drawOnceQuiet()
    sheet.press(key, text)
    onChange()
  }

  /**
   * Whether the letter of the last answer is still held, in this sheet or the next one. Keyboards begin to repeat a key
   * after a while, so it does not count again for that time, nor as long as it keeps coming.
   */
  function repeats(key: string): boolean {
    if (key !== used.key) return false
    const now = performance.now()
    const isHeldOn = sinceUsed() < REPEAT_MS.first || now - used.lastAt < REPEAT_MS.next
    used = { ...used, lastAt: now }
    return isHeldOn
  }

  /** The same sheet may go on with another question, which a key from before it must not answer. */
  function isHeld(): boolean {
    if (!wasJustAnswered()) return false
    answeredAt = performance.now()
    drawOnceQuiet()
    return true
  }

  return {
    top: () => sheets.at(-1) ?? null,
    acceptsKeys: () => isQuiet() && !wasJustAnswered() && sinceUsed() >= REPEAT_MS.first,
    open(sheet) {
      const shown: Sheet = {
        ...sheet,
        draw(canvas, height, acceptsKeys) {
          if (acceptsKeys) ready = shown
          return sheet.draw(canvas, height, acceptsKeys)
        },
      }
      sheets.push(shown)
      ignoreKeys()
      if (sheet.isExpected === true) {
        quietSince = -Infinity
        ready = shown
      }
      return () => {
        const at = sheets.indexOf(shown)
        if (at === -1) return
        sheets.splice(at, 1)
        ignoreKeys()
      }
    },
    press(key, text) {
      const sheet = sheets.at(-1)
      if (sheet === undefined) return
      if (isQuiet() && ready === sheet) take(sheet, key, text)
      else {
        repeats(key)
        ignoreKeys()
      }
      onChange()
    },
  }
}
