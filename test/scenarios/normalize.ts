import { isJsonObject } from '../../src/core/json/value.ts'
import type { JsonValue } from '../../src/core/json/value.ts'
import type { Place } from './place.ts'

/** The parts of an object that may differ between faces: ids, times, actor and session. */
const MAY_DIFFER: ReadonlySet<string> = new Set([
  'id',
  'actor',
  'userId',
  'session',
  'at',
  'timestamp',
  'duration',
  'duration_ms',
  'durationMs',
  'mtime',
  'modified_epoch_ms',
  'left_ms',
  'outputHash',
])

const ID = /\b01[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{24}\b/g

const BACKUP = /backups\/[0-9a-f]{32}\/\d{8}T\d{9}Z-<id>-[0-9a-f]{8}-/g
/** What tells a folder from another one of its name. */
const FOLDER = /^\d+ \d{16,}$/
const CHANGED_AT = /("modified_epoch_ms":)\d+/g
/** How long ago something was, or how long it still takes. */
const PASSING = /\b\d+ s (?=(?:ago|left)\b)|(?<=\b(?:again|repeat it) in )\d+ s\b/g
/** What a frame around text from the web is told by, drawn for each result. */
const FRAME_MARK = /(?<=\[(?:end of )?web content )[0-9a-f]{12}(?=[\]:])/g
const AGREED = /\band \S+ agreed\b/g
/** Said where no history had to be read, which depends on whether the caller names the turn. */
const NO_RULE = 'no rule applies to this tool'

/** A tool that is available in faces with a conversation, and not in the library. */
const ONLY_IN_CONVERSATIONS = 'delegate'

/** The same values with everything that may differ replaced by what it is. */
export function normalize(values: readonly unknown[], { top }: Place): readonly never[] {
  const walk = (value: JsonValue, key: string): JsonValue => {
    if (MAY_DIFFER.has(key)) return `<${key}>`
    if (typeof value === 'string') return normalizeText(value, top)
    if (Array.isArray(value))
      return value.filter((one) => one !== ONLY_IN_CONVERSATIONS).map((one) => walk(one, ''))
    if (!isJsonObject(value)) return value
    const entries = Object.entries(value).map(([name, one]) => [name, walk(one, name)] as const)
    const { content, error } = Object.fromEntries(entries)
    return { ...Object.fromEntries(entries), ...withAdvice(content, error) }
  }
  return walk(JSON.parse(JSON.stringify(values)) as JsonValue, '') as unknown as readonly never[]
}

function normalizeText(text: string, top: string): string {
  return text
    .replaceAll(top, '<top>')
    .replaceAll(ID, '<id>')
    .replaceAll(BACKUP, 'backups/<backup>-')
    .replace(FOLDER, '<folder>')
    .replaceAll(CHANGED_AT, '$1<time>')
    .replaceAll(PASSING, '<time> ')
    .replaceAll(FRAME_MARK, '<mark>')
    .replaceAll(AGREED, 'and <actor> agreed')
    .replaceAll(NO_RULE, 'no rule objects')
    .replaceAll(`, ${ONLY_IN_CONVERSATIONS},`, ',')
}

/** What a model reads of an error, with the advice that some faces add to it. */
function withAdvice(content: JsonValue | undefined, error: JsonValue | undefined): object {
  if (typeof content !== 'string' || !isJsonObject(error) || !Array.isArray(error['recovery'])) return {}
  const advice = error['recovery'].map(String).filter((hint) => !content.includes(hint))
  return { content: [content, ...advice].join('\n') }
}
