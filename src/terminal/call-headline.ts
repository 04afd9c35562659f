import { toJsonLine } from '../core/text/escape-json.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { placesIn } from '../core/text/secrets/places.ts'
import { redactForApproval } from '../core/text/secrets/redact.ts'

/** Arguments that best describe a call, most important first. */
const TELLING = [
  'path',
  'command',
  'cmd',
  'url',
  'directory',
  'query',
  'pattern',
  'patterns',
  'from',
  'action',
  'title',
  'task',
]
const HEADLINE_CHARS = 160

/** Arguments that are names of files. */
const PATHS: ReadonlySet<string> = new Set(['path', 'directory', 'patterns', 'from'])

/** A call in a few words. */
export function headline({ args }: { readonly args: JsonObject | null }): string {
  if (args === null) return ''
  const told = patchedFiles(args) ?? editedFiles(args) ?? replacement(args)
  const places = (): readonly string[] => placesIn(args)
  if (told !== null) return shorten(told, places)
  const name = TELLING.find((key) => args[key] !== undefined)
  if (name === undefined) return shorten(Object.keys(args).length === 0 ? '' : JSON.stringify(args), places)
  if (name === 'action')
    return shorten(
      [name, 'title', 'id', 'status']
        .flatMap((key) => args[key] ?? [])
        .map(inWords)
        .join(' '),
      places,
    )
  const say = PATHS.has(name) ? inNames : inWords
  const more = name === 'from' && args['to'] !== undefined ? ` to ${inNames(args['to'])}` : ''
  return shorten(say(args[name] ?? null) + more + linesOf(args), places)
}

function shorten(text: string, places: () => readonly string[]): string {
  const start = text.slice(0, HEADLINE_CHARS * 4)
  // Most calls have nothing to hide, and their arguments may be long.
  const shown = redactForApproval(start) === start ? start : redactForApproval(start, { places: places() })
  const line = sanitise(shown, { oneLine: true })
  return line.length > HEADLINE_CHARS ? `${line.slice(0, HEADLINE_CHARS)}…` : line
}

function inWords(value: JsonValue): string {
  if (typeof value === 'string') return value
  const script = scriptOf(value)
  if (script !== null) return script
  return Array.isArray(value) ? value.map((one: JsonValue) => inWords(one)).join(' ') : JSON.stringify(value)
}

/** Names that stand beside others or beside words of the row, in quotes if they could pass for these. */
function inNames(value: JsonValue): string {
  if (Array.isArray(value)) return value.map((one: JsonValue) => inNames(one)).join(' ')
  if (typeof value !== 'string') return inWords(value)
  return value === '' || AMBIGUOUS.test(value) ? toJsonLine(value) : value
}

/** A name that is none of the words around it has no blank in it, and nothing that quotes or points. */
const AMBIGUOUS = /[\s"'()→⏎⟨⟩]/

/** What a shell is given to run; a command that is one text is given to it in the same way. */
function scriptOf(value: JsonValue): string | null {
  if (!Array.isArray(value) || value.length !== 3) return null
  const [shell, option, script] = value as readonly JsonValue[]
  return shell === 'sh' && option === '-c' && typeof script === 'string' ? script : null
}

function linesOf({ start_line: start, end_line: end }: JsonObject): string {
  if (start === undefined && end === undefined) return ''
  return ` [${typeof start === 'number' ? start : 1}-${typeof end === 'number' ? end : ''}]`
}

function patchedFiles({ patch }: JsonObject): string | null {
  if (typeof patch !== 'string') return null
  const files = [...patch.matchAll(/^F (.+)$/gm)].map(([, path = '']) => path)
  return files.length === 0 ? 'a patch' : files.map(inNames).join(' ')
}

function editedFiles({ edits }: JsonObject): string | null {
  if (!Array.isArray(edits)) return null
  const files = edits.flatMap((edit) => (isJsonObject(edit) ? (edit['path'] ?? []) : []))
  return files.length === 0 ? null : [...new Set(files.map(inNames))].join(' ')
}

function replacement({ old, new: next, paths }: JsonObject): string | null {
  if (old === undefined || next === undefined || paths === undefined) return null
  return `${inNames(old)} by ${inNames(next)} in ${inNames(paths)}`
}
