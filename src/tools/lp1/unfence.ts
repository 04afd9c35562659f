const OPENING = /^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/su

/**
 * Blanks the two lines of one markdown fence that surrounds the whole text, and leaves any other text alone.
 * The lines stay, empty, so that line numbers still mean the text as it was given.
 */
export function unfence(text: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const opening = OPENING.exec(lines[first] ?? '')
  const fence = opening?.[1] ?? opening?.[2]
  if (fence === undefined || last <= first || !closes(lines[last] ?? '', fence)) return text
  return lines.map((line, index) => (index === first || index === last ? '' : line)).join('\n')
}

function closes(line: string, fence: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)
}
