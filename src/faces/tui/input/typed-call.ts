import { scanJsonText } from '../../../core/json/scan.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../../core/json/value.ts'
import type { ToolDefinition } from '../../../core/registry.ts'

/** A parsed line. */
export type TypedLine =
  | TypedCall
  /** A malformed call. */
  | { readonly is: 'broken'; readonly why: string }
  | { readonly is: 'words' }

/** A call that was typed. */
interface TypedCall {
  readonly is: 'call'
  readonly name: string
  readonly args: JsonObject
}

/** What runs a line after an exclamation mark. */
const SHELL = ['sh', '-c'] as const

const PAIR = /^([A-Za-z_]\w*)=/

/**
 * Parses a typed call: `read_file path=README.md`, or the arguments as JSON. A value may be quoted; after `key=` at
 * the end of a line, everything below is the value.
 */
export function readTypedCall(text: string, tools: readonly ToolDefinition[]): TypedLine {
  const trimmed = text.trimStart()
  const name = /^\S+/.exec(trimmed)?.[0] ?? ''
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) return { is: 'words' }
  const rest = trimmed.slice(name.length)
  const start = rest.trimStart()
  if (start === '') return { is: 'call', name, args: {} }
  if (start.startsWith('{')) return readJson(name, start)
  return PAIR.test(start) ? readPairs(name, start, tool) : { is: 'words' }
}

/** A command of the user's own after an exclamation mark, as a call with all gates; null if a line is none. */
export function readOwnCommand(text: string): TypedCall | null {
  const line = text.startsWith('!') ? text.slice(1).trim() : ''
  return line === '' ? null : { is: 'call', name: 'run_shell', args: { cmd: [...SHELL, line] } }
}

/** The line that makes a call when it is typed. */
export function writeTypedCall({ name, args }: Omit<TypedCall, 'is'>): string {
  const json = `${name} ${JSON.stringify(args)}`
  const { cmd } = args
  const own = Array.isArray(cmd) ? `!${String(cmd.at(-1))}` : ''
  const read = readOwnCommand(own)
  return read !== null && `${read.name} ${JSON.stringify(read.args)}` === json ? own : json
}

function readJson(name: string, text: string): TypedLine {
  const scan = scanJsonText(text)
  if (!scan.ok)
    return {
      is: 'broken',
      why: `The arguments are not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}.`,
    }
  if (!isJsonObject(scan.value)) return { is: 'broken', why: 'The arguments are not a JSON object.' }
  return { is: 'call', name, args: scan.value }
}

function readPairs(name: string, text: string, tool: ToolDefinition): TypedLine {
  const args = new Map<string, JsonValue>()
  let rest = text
  while (rest !== '') {
    const key = PAIR.exec(rest)?.[1]
    if (key === undefined)
      return {
        is: 'broken',
        why: `${JSON.stringify(rest.slice(0, 40))} is not key=value. Quote values that contain spaces.`,
      }
    if (args.has(key)) return { is: 'broken', why: `${key} is given twice.` }
    const taken = takeValue(rest.slice(key.length + 1))
    if (taken === null) return { is: 'broken', why: `The quotation mark after ${key}= is not closed.` }
    args.set(key, convert(taken.value, taken.isQuoted, schemaOf(tool, key)))
    rest = taken.rest.trimStart()
  }
  return { is: 'call', name, args: Object.fromEntries(args) }
}

interface Taken {
  readonly value: string
  readonly isQuoted: boolean
  readonly rest: string
}

/** Takes the first value: quoted, bracketed, the rest of the text after a line end, or up to the next blank. */
function takeValue(text: string): Taken | null {
  if (/^\r?\n/.test(text)) return { value: text.replace(/^\r?\n/, ''), isQuoted: true, rest: '' }
  const quote = text[0]
  if (quote === '"' || quote === "'") return takeQuoted(text, quote)
  if (quote === '[' || quote === '{') {
    const end = closingBracket(text)
    if (end !== -1) return { value: text.slice(0, end), isQuoted: false, rest: text.slice(end) }
  }
  const value = /^\S*/.exec(text)?.[0] ?? ''
  return { value, isQuoted: false, rest: text.slice(value.length) }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function takeQuoted(text: string, quote: string): Taken | null {
  let value = ''
  for (let at = 1; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === quote) return { value, isQuoted: true, rest: text.slice(at + 1) }
    if (character === '\\' && quote === '"') {
      at++
      const next = text[at] ?? ''
      value += ESCAPES[next] ?? next
    } else value += character
  }
  return null
}

function closingBracket(text: string): number {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInText) {
      if (character === '\\') at++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth === 0 && !isInText) return at + 1
  }
  return -1
}

function schemaOf({ inputSchema }: ToolDefinition, key: string): JsonObject {
  const { properties } = inputSchema
  const found = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isJsonObject(found) ? found : {}
}

/** Converts a value by its schema: strings stay, other types are parsed as JSON, and a list may be typed as words. */
function convert(value: string, isQuoted: boolean, schema: JsonObject): JsonValue {
  const type = schema['type']
  if (type === 'string') return value
  const scan = isQuoted && type === undefined ? null : scanJsonText(value)
  if (scan?.ok === true && scan.problems.length === 0) return scan.value
  return type === 'array' ? splitWords(value) : value
}

function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, word]) => double ?? single ?? word ?? '',
  )
}
