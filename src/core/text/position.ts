/** A position in a text: lines end at a line feed, columns count code points, both from 1. */
export type Position = { readonly line: number; readonly column: number }

/** Turns UTF-16 offsets into positions; if offsets are ascending, the text is read only once. */
export const createLocator = (text: string): ((offset: number) => Position) => {
  let at = 0
  let line = 1
  let column = 1
  let lineFeed = text.indexOf('\n')

  return (offset) => {
    const end = Math.min(offset, text.length)
    while (lineFeed !== -1 && lineFeed < end) {
      at = lineFeed + 1
      line += 1
      column = 1
      lineFeed = text.indexOf('\n', at)
    }
    while (at < end) {
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      column += 1
    }
    return { line, column }
  }
}
