import { storedName } from '../../core/web/framed-text.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { describeDiff } from './describe-diff.ts'
import { readingOf } from './readings.ts'
import type { Reading } from './readings.ts'

/** What a shortened result can say about itself. */
export interface Shortening {
  /** Whether it can be read as `tongs:output/ID`. */
  readonly isStored: boolean
  /** Whether the same lines of the file were read again later. */
  readonly isReplaced: boolean
  /** The SHA-256 of a text. */
  readonly digest: (text: string) => string
}

/** Shorter results are never shortened. */
export const LONG_CHARS = 240
const TAIL_LINES = 5
const TAIL_CHARS = 400
const MOST_NAMED = 8
const HASH_CHARS = 12

/** Whether a result is long enough to be shortened. */
export function isLong(content: string): boolean {
  return content.length > LONG_CHARS
}

/**
 * A result in a few words, by what it was: a reading keeps its place and hash, a search its counts, a command its end, an
 * edit the changed lines. It is told by the fields of the result, so results of foreign tools are shortened as well.
 */
export function shortenResult(result: ToolResult, shortening: Shortening): string {
  if (!isLong(result.content)) return result.content
  const short = `[Shortened: ${describe(result, shortening)}${wayBack(result, shortening)}]`
  return short.length < result.content.length ? short : result.content
}

/** How to see the whole of it again. */
function wayBack(result: ToolResult, { isStored, isReplaced }: Shortening): string {
  const reading = readingOf(result)
  if (reading !== null) return isReplaced ? '' : ` To see it again: ${readAgain(reading)}`
  if (isStored)
    return ` All of it: read_file {"path":"tongs:output/${storedName(result.execution.id, result.content)}"}`
  return ' Call it again if the rest is needed.'
}

function readAgain({ path, range }: Reading): string {
  return `read_file ${toJsonLine({ path, ...(range === null ? {} : range) })}`
}

function describe(result: ToolResult, shortening: Shortening): string {
  if (!result.ok) return `${showPath(result.name)} failed with ${result.error.code}.${tailOf(result.content)}`
  const reading = readingOf(result)
  if (reading !== null) return describeReading(reading, result, shortening)
  return (
    describeTests(result.result) ??
    describeSearch(result.result) ??
    describeCommand(result) ??
    describeEdit(result.result) ??
    describeList(result.result) ??
    describeOther(result)
  )
}

function describeReading(
  { path, range, totalLines, isCut }: Reading,
  result: ToolResult,
  { isReplaced, digest }: Shortening,
): string {
  const total = totalLines === null ? '' : ` of ${totalLines}`
  const whole = isCut ? 'its beginning' : 'all of it'
  const lines = range === null ? whole : `lines ${range.start_line}-${range.end_line}${total}`
  if (isReplaced) return `${showPath(path)}, ${lines}. These lines were read again later, see there.`
  return `${showPath(path)}, ${lines}, sha256 ${hashOf(result, digest)}.`
}

const HASHES = new WeakMap<ToolResult, string>()

/** Kept with the result, because each request shows it again. */
function hashOf(result: ToolResult, digest: Shortening['digest']): string {
  const known = HASHES.get(result) ?? digest(result.content).slice(0, HASH_CHARS)
  HASHES.set(result, known)
  return known
}

function describeSearch({ matches, files, counts }: JsonObject): string | null {
  if (!Array.isArray(matches)) return null
  if (Array.isArray(files))
    return `${files.length} files with a match${nameSome(files.map((path) => showPath(String(path))))}.`
  const perFile = new Map<string, number>()
  const rows = Array.isArray(counts) ? counts : matches
  for (const row of rows) {
    if (!isJsonObject(row)) continue
    const [path, count] = [String(row['path'] ?? row['file'] ?? ''), row['matches']]
    perFile.set(path, (perFile.get(path) ?? 0) + (typeof count === 'number' ? count : 1))
  }
  const total = [...perFile.values()].reduce((sum, count) => sum + count, 0)
  const named = [...perFile].map(([path, count]) => `${showPath(path)} (${count})`)
  return `${total} matches in ${perFile.size} files${nameSome(named)}.`
}

function describeEdit({ diff, path, files, bytes_written: bytes, created }: JsonObject): string | null {
  if (typeof diff === 'string') {
    const changed = describeDiff(diff)
    const named = changed.length === 0 ? pathsOf(path, files).map(showPath) : changed
    return `changed${nameSome(named)}.`
  }
  if (typeof bytes !== 'number') return null
  return `${created === true ? 'created' : 'wrote'} ${showPath(String(path))}, ${bytes} bytes.`
}

function pathsOf(path: JsonValue | undefined, files: JsonValue | undefined): readonly string[] {
  if (typeof path === 'string') return [path]
  if (!Array.isArray(files)) return []
  return files.flatMap((file) => (isJsonObject(file) ? [String(file['path'])] : []))
}

function describeList({ files, folders, entries }: JsonObject): string | null {
  const rows = Array.isArray(files) ? files : Array.isArray(entries) ? entries : null
  if (rows === null) return null
  const symbols = rows.flatMap((row) =>
    isJsonObject(row) && Array.isArray(row['symbols']) ? [row['symbols'].length] : [],
  )
  if (symbols.length > 0)
    return `${symbols.reduce((sum, count) => sum + count, 0)} symbols in ${rows.length} files.`
  return `${rows.length} entries${Array.isArray(folders) ? ` and ${folders.length} folders` : ''}.`
}

function describeTests({ total, passed, failed, failures }: JsonObject): string | null {
  if (typeof total !== 'number' || typeof passed !== 'number') return null
  const named = Array.isArray(failures)
    ? failures.flatMap((one) =>
        isJsonObject(one) ? [showPath(String(one['name'] ?? one['test'] ?? '?'))] : [],
      )
    : []
  const bad = typeof failed === 'number' && failed > 0 ? `, ${failed} failed${nameSome(named)}` : ''
  return `${passed} of ${total} tests passed${bad}.`
}

/** The end of the text for a model, which has no terminal sequences. */
function describeCommand({ result, content }: Extract<ToolResult, { ok: true }>): string | null {
  const { stdout, exit_code: code, signal } = result
  if (typeof stdout !== 'string') return null
  const end = typeof signal === 'string' ? `ended by ${showPath(signal)}` : `exit code ${String(code ?? 0)}`
  return `a command, ${end}.${tailOf(content)}`
}

function tailOf(content: string): string {
  const lines = content.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
  const tail = lines.length > TAIL_CHARS ? `… ${lines.slice(-TAIL_CHARS).toWellFormed()}` : lines
  return ` It ended:\n${tail}\n`
}

function describeOther({ name, content }: ToolResult): string {
  const start = content.slice(0, LONG_CHARS / 3).toWellFormed()
  return `${showPath(name)} succeeded and had ${content.length} characters, beginning ${toJsonLine(start)}.`
}

function nameSome(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return `: ${names.slice(0, MOST_NAMED).join(', ')}${more}`
}
