import { decodeKittyPrintable } from '@earendil-works/pi-tui'

/** A key by its name, and the text it types. */
export interface Pressed {
  readonly key: string
  readonly text: string
}

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/

/** What came from the terminal as a key and as text; control characters are never text. */
export function readPressed(data: string, name: string | undefined): Pressed {
  const pasted = PASTE.exec(data)?.[1]
  if (pasted !== undefined) return { key: 'paste', text: pasted.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ') }
  const typed = decodeKittyPrintable(data) ?? (/^[\u0000-\u001f\u007f]/.test(data) ? '' : data)
  return { key: name ?? '', text: typed }
}
