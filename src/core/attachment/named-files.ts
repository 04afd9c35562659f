import { trimEndOf } from '../text/trim-end.ts'

/** Names that pictures and documents have; the content decides what such a file is. */
const ATTACHABLE = /\.(?:png|jpe?g|gif|webp|pdf)$/i

/** Words of a prompt, in quotes or as terminals write a path that is dragged into them. */
const WORD =
  /(?<=^|[\s([])(@?)(?:"([^"\n]+)"|'([^'\n]+)'|(file:\/\/[^\s)"']+|(?![([])(?:\\[^\n]|(?!\]\()[^\s\\"'])+))/g

/**
 * The pictures and documents that a prompt names to be attached: `@PATH`, and an absolute path or file address, which is
 * what a terminal writes for a file that is dragged into it. Each is named once, in order.
 */
export function findNamedFiles(text: string): readonly string[] {
  const found = text.matchAll(WORD).flatMap(([, at, double, single, bare]) => {
    const path = readPath(double ?? single ?? dropEnd((bare ?? '').replaceAll(/\\(.)/g, '$1')))
    return ATTACHABLE.test(path) && (at === '@' || path.startsWith('/')) ? [path] : []
  })
  return [...new Set(found)]
}

/** Whether a prompt begins with the path of a picture or document, which a command never does. */
export function beginsWithFile(text: string): boolean {
  const [first] = findNamedFiles(text.split('\n', 1)[0]?.split(/(?<!\\)\s/, 1)[0] ?? '')
  return first !== undefined
}

/** The path in a file address; other words stay as they are. */
function readPath(word: string): string {
  if (!word.startsWith('file:///')) return word
  try {
    return decodeURIComponent(word.slice('file://'.length))
  } catch {
    return word
  }
}

/** The end of a sentence or a bracket is not part of a name. */
function dropEnd(word: string): string {
  return trimEndOf(word, '.,;:!?)]')
}
