import { decodeKittyPrintable, matchesKey } from '@earendil-works/pi-tui'

/** A key press: the key's name and its text. */
export interface Pressed {
  readonly key: string
  readonly text: string
}

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/

/** Keys that tmux and the Linux console send in a way that has no name yet. */
const UNNAMED = ['home', 'end'] as const

/** Decodes terminal input into a key and its text; control characters are never text. */
export function readPressed(data: string, name: string | undefined): Pressed {
  const pasted = PASTE.exec(data)?.[1]
  if (pasted !== undefined) return { key: 'paste', text: pasted.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ') }
  const typed = decodeKittyPrintable(data) ?? (/^[\u0000-\u001f\u007f]/.test(data) ? '' : data)
  return { key: name ?? UNNAMED.find((key) => matchesKey(data, key)) ?? '', text: typed }
}
