import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { parseCommand } from '../../core/command/parse-command.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import type { Slips } from '../../core/tool.ts'

/** Arguments with common slips put right, and a sentence for the model about each. */
export interface CorrectedArguments {
  readonly args: JsonObject
  readonly notes: readonly string[]
}

const SHOWN_CHARS = 200

/**
 * Puts common slips of models right: names that other agents use, numbers and booleans written as text, one text where
 * a list is wanted, null for what may be left out, and a command written as one line. What a schema accepts is never
 * changed.
 */
export function putRight(raw: JsonObject, schema: JsonObject, slips: Slips): CorrectedArguments {
  const notes: string[] = []
  const named = takeNames(raw, schema, slips.names ?? {}, notes)
  const split = slips.command === undefined ? named : splitCommand(named, slips.command, notes)
  const args = fitObject(split, schema, '', notes)
  return { args, notes }
}

/** Renames arguments that the tool does not have to those that they mean, unless those are given too. */
function takeNames(
  args: JsonObject,
  schema: JsonObject,
  names: Readonly<Record<string, string>>,
  notes: string[],
): JsonObject {
  const known = propertiesOf(schema)
  const taken: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(args)) {
    const meant = !Object.hasOwn(known, name) && Object.hasOwn(names, name) ? names[name] : undefined
    const isFree = meant !== undefined && !Object.hasOwn(args, meant) && !Object.hasOwn(taken, meant)
    if (meant !== undefined && isFree) notes.push(`${name} was taken as ${meant}`)
    taken[meant !== undefined && isFree ? meant : name] = value
  }
  return taken
}

/** A command written as one line: its words, or a shell that reads it if it needs one. */
function splitCommand(args: JsonObject, name: string, notes: string[]): JsonObject {
  const line = args[name]
  if (typeof line !== 'string' || line.trim() === '' || readList(line) !== null) return args
  const parsed = parseCommand(line)
  const [only] = parsed.ok && parsed.isPlain ? parsed.commands : []
  const words = only === undefined ? ['sh', '-c', line] : [...only.words]
  const how = only === undefined ? 'uses a shell, so it became' : 'was split into words:'
  notes.push(`${name} ${how} ${ellipsis(JSON.stringify(words), SHOWN_CHARS)}`)
  return { ...args, [name]: words }
}

function fitObject(value: JsonObject, schema: JsonObject, at: string, notes: string[]): JsonObject {
  const properties = propertiesOf(schema)
  const { required } = schema
  const fitted: Record<string, JsonValue> = {}
  for (const [name, one] of Object.entries(value)) {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined
    const place = at === '' ? name : `${at}.${name}`
    const mayBeLeftOut = !(Array.isArray(required) && required.includes(name))
    if (one === null && isJsonObject(wanted) && mayBeLeftOut && !accepts(wanted, 'null')) {
      notes.push(`${place} was null and left out`)
      continue
    }
    fitted[name] = isJsonObject(wanted) ? fitValue(one, wanted, place, notes) : one
  }
  return fitted
}

function fitValue(value: JsonValue, schema: JsonObject, at: string, notes: string[]): JsonValue {
  if (typeof value === 'string' && !accepts(schema, 'string')) return fitText(value, schema, at, notes)
  if (Array.isArray(value) && isJsonObject(schema['items'])) {
    const items = schema['items']
    return value.map((one, index) => fitValue(one, items, `${at}[${index}]`, notes))
  }
  return isJsonObject(value) ? fitObject(value, schema, at, notes) : value
}

const INTEGER = /^-?\d{1,15}$/
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** A text where something else is wanted; itself if it cannot be that. */
function fitText(text: string, schema: JsonObject, at: string, notes: string[]): JsonValue {
  const isInteger = accepts(schema, 'integer') && INTEGER.test(text.trim())
  if (isInteger || (accepts(schema, 'number') && NUMBER.test(text.trim()))) {
    notes.push(`${at} was text and taken as a number`)
    return Number(text)
  }
  if (accepts(schema, 'boolean') && /^(?:true|false)$/i.test(text.trim())) {
    notes.push(`${at} was text and taken as ${text.trim().toLowerCase()}`)
    return text.trim().toLowerCase() === 'true'
  }
  if (!accepts(schema, 'array')) return text
  const list = readList(text)
  notes.push(list === null ? `${at} was one text and taken as a list of one` : `${at} was a list in a text`)
  return list ?? [text]
}

/** A list that was written as JSON inside a text; null if it was not. */
function readList(text: string): JsonValue[] | null {
  if (!text.trimStart().startsWith('[')) return null
  const parsed = parseJson(text)
  return Array.isArray(parsed) && parsed.every((one) => typeof one === 'string') ? [...parsed] : null
}

function accepts({ type }: JsonObject, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted))
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {}
}
