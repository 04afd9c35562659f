import { QUIET_MS } from '../../../config/fixed-values.ts'
import type { Canvas } from '../draw/canvas.ts'

/** Something that has to be answered before anything else is typed. */
export interface Sheet {
  readonly draw: (canvas: Canvas, height: number, acceptsKeys: boolean) => readonly string[]
  /** Takes a key by its name, and the text it types. */
  readonly press: (key: string, text: string) => void
  /** Letters that decide something. */
  readonly deciding: ReadonlySet<string>
  /** Every other letter that means something. */
  readonly harmless: ReadonlySet<string>
  /** Whether text is typed into it right now, so that letters are letters. */
  readonly takesText?: () => boolean
}

/** The sheets that are open, the newest on top. */
export interface SheetStack {
  readonly top: () => Sheet | null
  /** Whether keys count: those pressed before a sheet was seen are no answers to it. */
  readonly acceptsKeys: () => boolean
  readonly open: (sheet: Sheet) => () => void
  readonly press: (key: string, text: string) => void
}

/** What stands in place of a sheet's keys until it listens. */
export const ONE_MOMENT = ' one moment: keys pressed before this was shown do not count'

/** A letter that decides counts once no other has followed for so long. */
const LONE_MS = 200

/** Makes a stack; `onChange` is told whenever it looks different. */
export function createSheetStack(onChange: () => void): SheetStack {
  const sheets: Sheet[] = []
  let quietSince = 0
  let timer: NodeJS.Timeout | undefined
  let lone: { readonly key: string; readonly timer: NodeJS.Timeout } | null = null

  function ignoreKeys(): void {
    dropLone()
    quietSince = performance.now()
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET_MS + 1).unref()
    onChange()
  }

  /** True where a letter was waiting to be alone. */
  function dropLone(): boolean {
    if (lone === null) return false
    clearTimeout(lone.timer)
    lone = null
    return true
  }

  const acceptsKeys = (): boolean => performance.now() - quietSince >= QUIET_MS

  /** Somebody who types words has not seen the sheet: letters it does not know, or one right after a deciding one. */
  function isTyping({ deciding, harmless }: Sheet, key: string, text: string): boolean {
    return text !== '' && (dropLone() || !(deciding.has(key) || harmless.has(key)))
  }

  function take(sheet: Sheet, key: string, text: string): void {
    // A key that is held down, or pressed twice, is one answer.
    if (lone?.key === key) return
    if (sheet.takesText?.() === true) sheet.press(key, text)
    else if (isTyping(sheet, key, text)) ignoreKeys()
    else if (sheet.deciding.has(key))
      lone = { key, timer: setTimeout(() => decide(sheet, key, text), LONE_MS) }
    else sheet.press(key, text)
  }

  function decide(sheet: Sheet, key: string, text: string): void {
    lone = null
    sheet.press(key, text)
    onChange()
  }

  return {
    top: () => sheets.at(-1) ?? null,
    acceptsKeys,
    open(sheet) {
      sheets.push(sheet)
      ignoreKeys()
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
      if (acceptsKeys()) take(sheet, key, text)
      else ignoreKeys()
      onChange()
    },
  }
}
