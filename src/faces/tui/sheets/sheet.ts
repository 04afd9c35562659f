import type { Canvas } from '../draw/canvas.ts'

/** Something that has to be answered before anything else is typed. */
export interface Sheet {
  readonly draw: (canvas: Canvas, height: number, isListening: boolean) => readonly string[]
  /** Takes a key by its name, and the text it types. */
  readonly press: (key: string, text: string) => void
}

/** The sheets that are open, the newest on top. */
export interface SheetStack {
  readonly top: () => Sheet | null
  /** Whether keys count: those pressed before a sheet was seen are no answers to it. */
  readonly isListening: () => boolean
  readonly open: (sheet: Sheet) => () => void
  readonly press: (key: string, text: string) => void
  /** Takes no key any more until nothing has been pressed for a while. */
  readonly deafen: () => void
  readonly redraw: () => void
}

/** What stands in place of a sheet's keys until it listens. */
export const ONE_MOMENT = ' one moment: keys pressed before this was shown do not count'

/** Nobody reads a sheet and answers it in less; whoever is still typing goes on typing. */
const QUIET_MS = 350

/** Makes a stack; `onChange` is told whenever it looks different. */
export function createSheetStack(onChange: () => void): SheetStack {
  const sheets: Sheet[] = []
  let quietSince = 0
  let timer: NodeJS.Timeout | undefined

  function deafen(): void {
    quietSince = performance.now()
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET_MS + 1).unref()
    onChange()
  }

  const isListening = (): boolean => performance.now() - quietSince >= QUIET_MS

  return {
    top: () => sheets.at(-1) ?? null,
    isListening,
    open(sheet) {
      sheets.push(sheet)
      deafen()
      return () => {
        const at = sheets.indexOf(sheet)
        if (at === -1) return
        sheets.splice(at, 1)
        deafen()
      }
    },
    press(key, text) {
      if (isListening()) sheets.at(-1)?.press(key, text)
      else deafen()
      onChange()
    },
    deafen,
    redraw: onChange,
  }
}
