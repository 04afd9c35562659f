import { showPath } from '../core/text/display/show-path.ts'
import { Buffer, isUtf8 } from 'node:buffer'
import { SNIFF_BYTES } from '../config/fixed-values.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS } from './define/slip-names.ts'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import type { LineRange, OpenedFile } from '../core/powers.ts'
import { array, boolean, integer, nullable, object, oneOf, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import type { PowersOf } from '../core/tool.ts'
import { bomLength, countLines, endOfCharacter, isBinary, LONGEST_CHARACTER } from './reading/bytes.ts'
import { readingTool } from './define/tool-families.ts'
import { attachmentSchema, showAttachment } from './reading/attached.ts'
import { fitPage, fitText, noteLine } from './reading/fit-text.ts'
import type { Slice } from './reading/fit-text.ts'
import { BINARY_HEADER, renderFile, TRUNCATED_HEADER } from './rendering/file-text.ts'
import { byteLength } from '../core/text/truncate.ts'
import { decodeFile, encodingNamed, guessEncoding, noteGuess } from './reading/other-encoding.ts'
import { hintAtPaths } from './finding/nearest-path.ts'
import { isStoredPath, readPage } from './reading/stored-page.ts'
import { FRAME_BYTES, frameContent, isWebContent } from './web/frame-content.ts'
import { readSource, resolveLimits, scanLines } from './reading/read-source.ts'
import type { Limits, Source } from './reading/read-source.ts'

const input = object(
  {
    path: string('The file, relative to the root', { minLength: 1 }),
    max_bytes: optional(
      integer('Return at most this many bytes of it, cut instead of refused', { minimum: 1 }),
    ),
    start_line: optional(integer('First line to return, from 1', { minimum: 1 })),
    end_line: optional(integer('Last line to return, included', { minimum: 1 })),
    include_context: optional(integer('Lines to add before and after the range', { minimum: 0 })),
    encoding: optional(
      string('Decode a file that is not UTF-8 from this, such as utf-16le or windows-1252', { minLength: 1 }),
    ),
  },
  'Which file to read, and how much of it',
)

const output = object(
  {
    path: string('The file, relative to the root'),
    encoding: oneOf(['utf-8', 'utf-8-bom', 'base64'], 'How the content is written'),
    content: string('The text as it is in the file, or base64 of the bytes'),
    truncated: boolean('Whether the file, or the range that was asked for, goes on beyond the content'),
    size: integer('Size of the file in bytes'),
    range: optional(
      object(
        { start_line: integer('First line returned'), end_line: integer('Last line returned') },
        'The lines returned, context included',
      ),
    ),
    total_lines: nullable(integer('Lines in the file; null if it is too large to count or no text')),
    next_line: optional(integer('Where to go on reading, if the text was cut to fit')),
    decoded_from: optional(string('What the file was decoded from, if the call said so')),
    notes: array(
      string('One note'),
      'Invisible, bidirectional and control characters; what else there is to know',
    ),
    attachment: attachmentSchema,
  },
  'What was read',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Reads a file, or some of its lines. */
export const readFile = defineTool({
  name: 'read_file',
  version: '1.0.0',
  description:
    'Read a text file, whole or a range of lines, or see a picture or PDF; other binary files come as base64',
  ...readingTool,
  input,
  output,
  slips: {
    names: PATH_SLIPS,
    tool: ['view', 'cat', 'open', 'read', 'view_file', 'open_file'],
  },
  rare: ['include_context', 'max_bytes', 'encoding'],
  deterministic: true,
  check: ({ start_line, end_line, encoding }) => {
    if (encoding !== undefined && encodingNamed(encoding) === null)
      return `encoding ${encoding} is not known; give one such as utf-16le, windows-1252 or shift_jis`
    return start_line !== undefined && end_line !== undefined && start_line > end_line
      ? `start_line ${start_line} is after end_line ${end_line}; swap them, or leave one out`
      : null
  },
  claims: ({ path }) => [{ path, intent: 'read' }],
  rebase: (args, move) => (isStoredPath(args.path) ? args : { ...args, path: move(args.path) }),
  summary: (args) =>
    hasRange(args)
      ? `Read ${showPath(args.path)} [lines ${args.start_line ?? 1}-${args.end_line ?? 'end'}]`
      : `Read ${showPath(args.path)}`,
  present: { text: renderFile, isFixed: true, mayTruncate: ({ encoding }) => encoding !== 'base64' },
  run: hintAtPaths((args: Args, powers: PowersOf['read']) => {
    const limits = resolveLimits(powers)
    const file = powers.files.open(args.path)
    return isWebContent(args.path) ? readFramed(file, args, limits) : readOpened(file, args, limits)
  }),
})

/** What came from the web is in a frame on every page of it. */
function readFramed(file: OpenedFile, args: Args, limits: Limits): Result {
  const result = readOpened(file, args, { ...limits, outputBytes: limits.outputBytes - FRAME_BYTES })
  return result.encoding === 'base64' ? result : { ...result, content: `${frameContent(result.content)}\n` }
}

function readOpened(file: OpenedFile, args: Args, limits: Limits): Result {
  const source = readSource(file, hasRange(args), limits)
  // A range read of a large file examines only the beginning; otherwise the whole content decides.
  const judged = hasRange(args) && !source.isWhole ? source.bytes.subarray(0, SNIFF_BYTES) : source.bytes
  if (isBinary(judged, judged.length === source.size))
    return args.encoding === undefined
      ? (readAttached(source, args, limits) ?? readBinary(source, args, limits))
      : readDecoded(source, args, args.encoding, limits)
  return hasRange(args) ? readRange(source, args, limits) : readText(source, args, limits)
}

function hasRange(args: Args): boolean {
  return args.start_line !== undefined || args.end_line !== undefined
}

/** A picture or document that the model is shown; null if it is something else, or if the bytes themselves are wanted. */
function readAttached(source: Source, args: Args, limits: Limits): Result | null {
  if (hasRange(args) || args.max_bytes !== undefined || limits.binary === 'refuse') return null
  const attachment = showAttachment(source, limits)
  if (attachment === null) return null
  const { path, size } = source
  return {
    path,
    encoding: 'base64',
    content: '',
    truncated: true,
    size,
    total_lines: null,
    notes: [],
    attachment,
  }
}

function readBinary({ file, path, shownPath, bytes, size }: Source, args: Args, limits: Limits): Result {
  const details = { path }
  const guess = limits.areNamed ? guessEncoding(bytes) : null
  if (hasRange(args)) {
    const way = guess === null ? 'leave start_line and end_line out' : noteGuess(guess)
    const message = `${shownPath} is binary, so it has no lines; ${way}.`
    throw failure('bad_args', message, details)
  }
  if (limits.binary === 'refuse') {
    const message = `${shownPath} is binary, and tools.read_file.binary is set to refuse such files.`
    throw failure('execution_failed', message, details, ['Work without this file, or ask the user for it.'])
  }
  const notes = guess === null ? [] : [noteGuess(guess)]
  const most = limits.outputBytes - byteLength(noteLine(notes))
  const wanted = Math.min(size, args.max_bytes ?? Infinity, limits.readBytes)
  const header = wanted < size ? TRUNCATED_HEADER : BINARY_HEADER
  const isRoom = header.length + 1 + Math.ceil(wanted / 3) * 4 <= most
  const room = Math.floor(Math.max(0, most - TRUNCATED_HEADER.length - 1) / 4) * 3
  const shown = bytes.subarray(0, isRoom ? wanted : room)
  const truncated = shown.length < size
  file.saw(truncated ? { start_line: 1, end_line: 0 } : null)
  const content = Buffer.from(shown.buffer, shown.byteOffset, shown.byteLength).toString('base64')
  return { path, encoding: 'base64', content, truncated, size, total_lines: null, notes }
}

/** Reads text that is not UTF-8 as the caller says. */
function readDecoded(source: Source, args: Args, label: string, limits: Limits): Result {
  const { path, size } = source
  const name = encodingNamed(label) ?? label
  if (!source.isWhole) {
    const message = `${source.shownPath} has ${size} bytes, and at most ${limits.wholeBytes} are decoded. Convert it with a command, such as iconv.`
    throw failure('limit_exceeded', message, { path, size, limit: limits.wholeBytes })
  }
  const { note, ...decoded } = decodeFile(source.file, source.bytes, name, source.shownPath)
  const inner = { ...source, ...decoded, size: decoded.bytes.length }
  const rest = { ...limits, outputBytes: limits.outputBytes - byteLength(noteLine([note])) }
  const read = hasRange(args) ? readRange(inner, args, rest) : readText(inner, args, rest)
  return { ...read, size, decoded_from: name, notes: [...read.notes, note] }
}

function readText(source: Source, args: Args, limits: Limits): Result {
  const { path, bytes, size } = source
  if (size > limits.readBytes && args.max_bytes === undefined && limits.overLimit === 'refuse') {
    const message = `${source.shownPath} has ${size} bytes, and at most ${limits.readBytes} are read at once. Read a range of lines with start_line and end_line, or the beginning of the file with max_bytes.`
    throw failure('limit_exceeded', message, { path, size, limit: limits.readBytes })
  }
  const from = bomLength(bytes)
  const end = Math.min(bytes.length, from + Math.min(args.max_bytes ?? Infinity, limits.readBytes))
  const isCut = end < size
  const to = isCut ? endOfCharacter(bytes, end) : end
  const how = args.max_bytes === undefined ? 'beginning' : 'bytes'
  return shape(source, { from, to, startLine: 1, isCut }, how, limits)
}

function readRange(source: Source, args: Args, limits: Limits): Result {
  const { path, shownPath } = source
  const context = args.include_context ?? 0
  const wanted: LineRange = {
    start_line: Math.max(1, (args.start_line ?? 1) - context),
    end_line: (args.end_line ?? Infinity) + context,
  }
  const { bytes, found } = scanLines(source, wanted, limits.scanBytes)
  if (found.to > limits.scanBytes && isStoredPath(args.path)) return readStored(source, args, wanted, limits)
  if (found.to > limits.scanBytes) {
    const message = `The end of that range in ${shownPath} lies beyond the first ${limits.scanBytes} bytes, which are all that is scanned for lines. Narrow the range to lines nearer to the beginning.`
    throw failure('limit_exceeded', message, { path, limit: limits.scanBytes })
  }
  if (!source.isWhole && !isUtf8(bytes.subarray(0, found.to))) return readBinary(source, args, limits)
  if (args.start_line !== undefined && found.isPastEnd && args.start_line > found.lastLine)
    throw beyondEnd(source, args.start_line, found.lastLine)
  const most = found.from + (args.max_bytes ?? Infinity)
  const isCut = most < found.to
  const to = isCut ? endOfCharacter(bytes, most) : found.to
  return shape(
    { ...source, bytes },
    { from: found.from, to, startLine: wanted.start_line, isCut },
    'range',
    limits,
  )
}

/** Stored output of any length can be paged to its end: only one page is in memory. */
function readStored(source: Source, args: Args, wanted: LineRange, limits: Limits): Result {
  const most = Math.min(args.max_bytes ?? Infinity, limits.readBytes, limits.outputBytes)
  const read = readPage(source.file, wanted, most + LONGEST_CHARACTER)
  if (!read.ok) throw beyondEnd(source, args.start_line ?? 1, read.lastLine)
  const { bytes, slice } = read.page
  const isCut = slice.to > most
  const to = isCut ? endOfCharacter(bytes, most) : slice.to
  if (!isUtf8(bytes.subarray(0, to))) return readBinary(source, args, limits)
  const { content, truncated, range, notes } = fitText(
    bytes,
    { ...slice, to, isCut: isCut || slice.isCut },
    limits.outputBytes,
  )
  const { path, size } = source
  return { path, encoding: 'utf-8', content, truncated, size, range, total_lines: null, notes }
}

function beyondEnd({ path, shownPath }: Source, startLine: number, lastLine: number): ToolFailure {
  const end = lastLine === 0 ? 'it is empty, so its last line is 0' : `its last line is ${lastLine}`
  const message = `start_line ${startLine} is beyond the end of ${shownPath}: ${end}.`
  return failure('bad_args', message, { path, last_line: lastLine }, [
    'Ask for lines that are there, or leave start_line out.',
  ])
}

function shape(
  { file, path, bytes, size, isWhole }: Source,
  slice: Slice,
  how: 'beginning' | 'bytes' | 'range',
  limits: Limits,
): Result {
  const bom = bomLength(bytes)
  const plain = fitText(bytes, slice, limits.outputBytes)
  const isPaged = plain.truncated && limits.overLimit === 'beginning' && how === 'beginning'
  const paged = isPaged ? fitPage(bytes, slice, limits.outputBytes) : null
  const { content, to, truncated, range, wholeLines, notes } = paged ?? plain
  const isAll = slice.from === bom && to === size
  file.saw(isAll ? null : wholeLines)
  return {
    path,
    encoding: bom > 0 ? 'utf-8-bom' : 'utf-8',
    content,
    truncated,
    size,
    ...(how === 'range' || paged !== null ? { range } : {}),
    total_lines: isWhole ? (isAll ? range.end_line : countLines(bytes.subarray(bom))) : null,
    ...(paged === null ? {} : { next_line: range.end_line + 1 }),
    notes,
  }
}
