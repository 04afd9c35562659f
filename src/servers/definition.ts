import { canonicalJson } from '../core/json/canonical.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { digest } from '../host/system/hash.ts'
import { compileSchema } from '../schema/compile-schema.ts'
import { headerFault } from './header-fault.ts'
import { TAKEN_OUT } from './read-server-frame.ts'

/** A foreign tool as it is used here: bounded, and safe to show. */
export interface Definition {
  /** What the server calls it. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | null
}

/** A tool of a server that is not used, and why. */
export interface RefusedTool {
  readonly name: string
  readonly why: string
}

/** The tools of a server that can be used, and those that cannot. */
export interface ReadDefinitions {
  readonly tools: readonly Definition[]
  readonly refused: readonly RefusedTool[]
}

const MOST_TOOLS = 512
const LONGEST_NAME = 128
const SHOWN_NAME = 64
const LONGEST_DESCRIPTION = 2_000
const LONGEST_REMARK = 500
const LONGEST_FAULT = 100
const MOST_SCHEMA_CHARS = 64 * 1024
/** Of all tools of a server together: they are stored, shown to a person and compared with each listing. */
const MOST_CHARS = 4 * 1024 ** 2
const MOST_SCHEMA_NODES = 4_000
const DEEPEST_SCHEMA = 24
/** What models and people read in a schema; everything else in it has a meaning and is never altered. */
const REMARKS: ReadonlySet<string> = new Set(['description', 'title', '$comment'])

/**
 * Reads what a server says about its tools. Nothing of it is believed but the name, the schemas and the description.
 * Where calls have headers, a tool is refused whose schema wants arguments as headers that they cannot be.
 */
export function readDefinitions(listed: readonly unknown[], hasHeaders = false): ReadDefinitions {
  const tools = new Map<string, Definition>()
  const refused: RefusedTool[] = []
  const dropped = new Set<string>()
  let chars = 0
  for (const raw of listed.slice(0, MOST_TOOLS)) {
    const reading = readDefinition(raw, hasHeaders)
    if ('why' in reading) refused.push(reading)
    else if (tools.has(reading.name)) dropped.add(reading.name)
    else if (chars + JSON.stringify(reading).length > MOST_CHARS)
      refused.push({ name: reading.name, why: 'the tools of the server are too large together' })
    else {
      chars += JSON.stringify(reading).length
      tools.set(reading.name, reading)
    }
  }
  for (const name of dropped) {
    tools.delete(name)
    refused.push({ name, why: 'the server lists it more than once' })
  }
  if (listed.length > MOST_TOOLS)
    refused.push({ name: '…', why: `the server lists ${listed.length} tools; only ${MOST_TOOLS} are read` })
  return { tools: [...tools.values()], refused }
}

/** The hash by which a definition is recognised. */
export function fingerprint({ name, description, inputSchema, outputSchema }: Definition): string {
  return digest(canonicalJson({ name, description, inputSchema, outputSchema }))
}

function readDefinition(raw: unknown, hasHeaders: boolean): Definition | RefusedTool {
  const given = isJsonObject(raw) ? raw['name'] : null
  if (!isJsonObject(raw) || typeof given !== 'string' || given === '')
    return { name: '?', why: 'it has no name' }
  const readable: string = sanitise(given.slice(0, LONGEST_NAME), { oneLine: true })
  const name = readable.slice(0, SHOWN_NAME)
  // Compared in full: a line break anywhere in it would print a line of the server's own.
  if (readable !== given) return { name, why: 'its name is too long or has characters that do not show' }
  const fatal = raw[TAKEN_OUT]
  if (fatal !== undefined)
    return { name, why: `it cannot be read: ${cut(typeof fatal === 'string' ? fatal : '', LONGEST_FAULT)}` }
  const input = readSchema(raw['inputSchema'])
  if (typeof input === 'string') return { name, why: `its input schema ${input}` }
  const fault = hasHeaders ? headerFault(input) : null
  if (fault !== null) return { name, why: `its input schema ${fault}` }
  const output = raw['outputSchema'] === undefined ? null : readSchema(raw['outputSchema'])
  if (typeof output === 'string') return { name, why: `its output schema ${output}` }
  const description = raw['description']
  return {
    name: given,
    description: cut(typeof description === 'string' ? description : '', LONGEST_DESCRIPTION),
    inputSchema: input,
    outputSchema: output,
  }
}

function cut(text: string, most: number): string {
  // A little more than is kept, so that a sequence at the end is still recognised.
  const clean: string = sanitise(text.slice(0, most * 2)).trim()
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean
}

/** A schema that is small enough, and means something to our own engine; or what is wrong with it. */
function readSchema(raw: unknown): JsonObject | string {
  if (!isJsonObject(raw)) return 'is not an object'
  const budget = { nodes: MOST_SCHEMA_NODES, chars: MOST_SCHEMA_CHARS }
  const copy = copyBounded(raw, 0, '', budget)
  if (typeof copy === 'string' || !isJsonObject(copy))
    return typeof copy === 'string' ? copy : 'is not an object'
  if (copy['type'] !== 'object') return 'does not describe an object'
  const { $schema: _dialect, ...schema } = copy
  const compiled = compileSchema(schema)
  return compiled.ok
    ? schema
    : `cannot be used: ${compiled.at === '' ? 'it' : cut(compiled.at, 100)} ${cut(compiled.message, 200)}`
}

interface Budget {
  nodes: number
  chars: number
}

class Refusal extends Error {}

/** A copy with its remarks cut and made visible; a sentence if something is too much or hidden. */
function copyBounded(raw: JsonValue, depth: number, key: string, budget: Budget): JsonValue {
  try {
    return copyNode(raw, depth, key, budget)
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function copyNode(raw: JsonValue, depth: number, key: string, budget: Budget): JsonValue {
  budget.nodes -= 1
  if (depth > DEEPEST_SCHEMA || budget.nodes < 0) throw new Refusal('is too deep or too large')
  if (typeof raw === 'string') {
    const text: string = REMARKS.has(key) ? cut(raw, LONGEST_REMARK) : raw
    spend(text, budget)
    return text
  }
  if (raw === null || typeof raw !== 'object') return raw
  if (Array.isArray(raw)) return raw.map((item: JsonValue) => copyNode(item, depth + 1, '', budget))
  const copy: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(raw)) {
    if (name === '__proto__') throw new Refusal('has a key "__proto__"')
    spend(name, budget)
    // A property may well be called "description"; only its own value is a remark, and that is a schema then.
    copy[name] = copyNode(value, depth + 1, typeof value === 'string' ? name : '', budget)
  }
  return copy
}

function spend(text: string, budget: Budget): void {
  budget.chars -= text.length
  if (budget.chars < 0) throw new Refusal('is too deep or too large')
  if (sanitise(text) !== text) throw new Refusal('has characters that do not show')
}
