import type { BlockRole } from './read-block.ts'
import { readBlock } from './read-block.ts'
import { parseFileLine } from './parse-file-line.ts'
import type { Lp1Code, Lp1Error } from './lp1-error.ts'
import { columnOf, quoteText } from './lp1-error.ts'
import type { OpHead } from './parse-op-line.ts'
import { parseOpLine } from './parse-op-line.ts'
import type { Op, Patch } from './operation.ts'

export type ParseResult =
  | { readonly ok: true; readonly patch: Patch }
  | { readonly ok: false; readonly error: Lp1Error }

const IGNORED = /^[ \t]*(?:#|$)/u
const FILE_LINE = /^[ \t]*F(?:[ \t]|$)/u
const END_LINE = /^[ \t]*END(?:[ \t]+(.*))?$/su

/** Parses an LP1 patch; it does not handle Markdown fences. */
export function parsePatch(text: string): ParseResult {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const header = nextSignificant(lines, 0)
  if (header === lines.length) {
    return failAtEnd(
      lines,
      'missing_header',
      'The patch is empty; begin it with a line LP1 and end it with END.',
    )
  }
  const first = lines[header] ?? ''
  if (!/^[ \t]*LP1[ \t]*$/u.test(first)) {
    const message = `A patch begins with a line that is just LP1, not with ${quoteText(first.trim())}.`
    return failAt(lines, { at: header, index: indentOf(lines, header) }, 'invalid_header', message)
  }
  return parseBody(lines, header + 1)
}

function parseBody(lines: readonly string[], start: number): ParseResult {
  const sections: { path: string; line: number; ops: Op[] }[] = []
  for (let at = nextSignificant(lines, start); at < lines.length; at = nextSignificant(lines, at)) {
    const line = lines[at] ?? ''
    const end = END_LINE.exec(line)
    if (end !== null) return parseTail(lines, at, end[1] ?? '') ?? { ok: true, patch: { sections } }
    const section = sections.at(-1)
    if (FILE_LINE.test(line)) {
      const file = parseFileLine(line, at + 1)
      if (!file.ok) return file
      sections.push({ path: file.path, line: at + 1, ops: [] })
      at += 1
    } else if (section === undefined) {
      const message = `${quoteText(line.trim())} comes before any file; write F and a path first.`
      return failAt(lines, { at, index: indentOf(lines, at) }, 'expected_file_section', message)
    } else {
      const parsed = parseOp(lines, at)
      if (!parsed.ok) return parsed
      section.ops.push(parsed.op)
      at = parsed.next
    }
  }
  return failAtEnd(lines, 'missing_end', 'The patch stops without its last line; finish it with a line END.')
}

/** The error for text after END, on the same line or below, if there is any. */
function parseTail(lines: readonly string[], endAt: number, sameLine: string): ParseResult | undefined {
  const message = 'Nothing but blank lines and comments may follow END; move it above, or remove it.'
  const garbage = (at: number, index: number): ParseResult =>
    failAt(lines, { at, index }, 'trailing_garbage', message)
  if (sameLine !== '') return garbage(endAt, (lines[endAt] ?? '').length - sameLine.length)
  const at = nextSignificant(lines, endAt + 1)
  return at === lines.length ? undefined : garbage(at, indentOf(lines, at))
}

type OpResult =
  | { readonly ok: true; readonly op: Op; readonly next: number }
  | { readonly ok: false; readonly error: Lp1Error }

function parseOp(lines: readonly string[], at: number): OpResult {
  const parsed = parseOpLine(lines[at] ?? '', at + 1)
  if (!parsed.ok) return parsed
  const { head } = parsed
  const line = at + 1
  if (head.letter === 'N') {
    return { ok: true, op: { letter: 'N', line, endsInNewline: head.endsInNewline }, next: at + 1 }
  }
  if (!('occurrence' in head)) {
    const block = readBlock(lines, at + 1, roleOf(head, 'new', line))
    if (!block.ok) return block
    return { ok: true, op: { letter: head.letter, line, fresh: block.texts }, next: block.next }
  }
  const { letter, occurrence } = head
  const find = readBlock(lines, at + 1, roleOf(head, 'find', line))
  if (!find.ok) return find
  if (letter === 'E') return { ok: true, op: { letter, line, occurrence, find: find.texts }, next: find.next }
  const fresh = readBlock(lines, find.next, roleOf(head, 'new', line))
  if (!fresh.ok) return fresh
  return {
    ok: true,
    op: { letter, line, occurrence, find: find.texts, fresh: fresh.texts },
    next: fresh.next,
  }
}

function roleOf(head: OpHead, name: BlockRole['name'], line: number): BlockRole {
  return { letter: head.letter, name, line, column: head.column }
}

function nextSignificant(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && IGNORED.test(lines[at] ?? '')) at += 1
  return at
}

function indentOf(lines: readonly string[], at: number): number {
  return /^[ \t]*/u.exec(lines[at] ?? '')?.[0].length ?? 0
}

/** The position of an error in a patch: the index of the line, and the index within it. */
interface Place {
  readonly at: number
  readonly index: number
}

function failAt(lines: readonly string[], { at, index }: Place, code: Lp1Code, message: string): ParseResult {
  return { ok: false, error: { code, line: at + 1, column: columnOf(lines[at] ?? '', index), message } }
}

function failAtEnd(lines: readonly string[], code: Lp1Code, message: string): ParseResult {
  return failAt(lines, { at: lines.length - 1, index: (lines.at(-1) ?? '').length }, code, message)
}

const OPENING = /^[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$/su

/**
 * Blanks the two lines of a Markdown fence around the whole text, and leaves other text alone. The lines stay, empty,
 * so that line numbers still refer to the original text.
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
