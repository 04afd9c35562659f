import { QUIET_MS } from '../../../config/fixed-values.ts'
import type { Canvas } from '../draw/canvas.ts'

/** A modal sheet that has to be answered first. */
export interface Sheet {
  readonly draw: (canvas: Canvas, height: number, acceptsKeys: boolean) => readonly string[]
  /** Handles a key by its name and its text. */
  readonly press: (key: string, text: string) => void
  /** Letters that give an answer. */
  readonly deciding: ReadonlySet<string>
  /** Other letters with a meaning. */
  readonly harmless: ReadonlySet<string>
  /** Whether the user opened it with a key and types on, so that keys count at once. */
  readonly isExpected?: boolean
  /** Whether text is being typed, so that letters are not commands. */
  readonly takesText?: () => boolean
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

/** Creates a stack; `onChange` is called whenever it changes. */
export function createSheetStack(onChange: () => void): SheetStack {
  const sheets: Sheet[] = []
  let quietSince = 0
  let answeredAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let lone: { readonly key: string; readonly timer: NodeJS.Timeout } | null = null

  function ignoreKeys(): void {
    dropLone()
    quietSince = performance.now()
    drawOnceQuiet()
    onChange()
  }

  function drawOnceQuiet(): void {
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET_MS + 1).unref()
  }

  /** Drops the pending letter; true if there was one. */
  function dropLone(): boolean {
    if (lone === null) return false
    clearTimeout(lone.timer)
    lone = null
    return true
  }

  const isQuiet = (): boolean => performance.now() - quietSince >= QUIET_MS
  const wasJustAnswered = (): boolean => performance.now() - answeredAt < QUIET_MS

  /** Whether the user is typing text and has not seen the sheet: an unknown letter, or one right after an answer. */
  function isTyping({ deciding, harmless }: Sheet, key: string, text: string): boolean {
    return text !== '' && (dropLone() || !(deciding.has(key) || harmless.has(key)))
  }

  function take(sheet: Sheet, key: string, text: string): void {
    // A key that repeats is one answer.
    if (lone?.key === key) return
    if (sheet.takesText?.() === true) sheet.press(key, text)
    else if (isTyping(sheet, key, text)) ignoreKeys()
    else if (sheet.deciding.has(key) && isHeld()) return
    else if (sheet.deciding.has(key))
      lone = { key, timer: setTimeout(() => decide(sheet, key, text), LONE_MS) }
    else sheet.press(key, text)
  }

  function decide(sheet: Sheet, key: string, text: string): void {
    lone = null
    answeredAt = performance.now()
    drawOnceQuiet()
    sheet.press(key, text)
    onChange()
  }

  /** The same sheet may go on with another question, which a key that is still held must not answer. */
  function isHeld(): boolean {
    if (!wasJustAnswered()) return false
    answeredAt = performance.now()
    drawOnceQuiet()
    return true
  }

  return {
    top: () => sheets.at(-1) ?? null,
    acceptsKeys: () => isQuiet() && !wasJustAnswered(),
    open(sheet) {
      sheets.push(sheet)
      ignoreKeys()
      if (sheet.isExpected === true) quietSince = -Infinity
      return () => {
        const at = sheets.indexOf(sheet)
        if (at === -1) return
        sheets.splice(at, 1)
        ignoreKeys()
      }
    },
    press(key, text) {
      const sheet = sheets.at(-1)
      if (sheet === undefined) return
      if (isQuiet()) take(sheet, key, text)
      else ignoreKeys()
      onChange()
    },
  }
}
