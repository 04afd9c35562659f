import type { JsonObject } from '../../core/json/value.ts'
import { readStrings, readText } from './collection-kinds.ts'
import { keepBase, number } from './scalar-kinds.ts'
import { unknownColumns } from './table-kinds.ts'
import { failAt, faultsUnder, isTable, notExpected } from './value-kind.ts'
import type { Fault, Reading, ValueKind } from './value-kind.ts'

/** Named values that may be secrets: shown by name only, wherever settings are printed. */
export class PrivateValues {
  readonly names: readonly string[]
  readonly #values: Readonly<Record<string, string>>

  constructor(entries: readonly (readonly [string, string])[]) {
    this.names = entries.map(([name]) => name)
    this.#values = withoutPrototype(entries)
  }

  reveal(): Readonly<Record<string, string>> {
    return this.#values
  }
}

/** An MCP server whose tools may be used: a program to start, or an address. */
export interface ServerSetting {
  /** The program, by an absolute path or a name found in PATH; null for a server at an address. */
  readonly command: string | null
  readonly args: readonly string[]
  readonly env: PrivateValues
  readonly url: string | null
  readonly headers: PrivateValues
  readonly enabled: boolean
  /** Names of its tools, with wildcards; only these are used. */
  readonly tools: readonly string[]
  readonly effect: 'read' | 'external'
  readonly network: boolean
  /** Paths its program may read; relative ones start at the root. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly timeout_seconds: number
  /** What trust in its tools is bound to besides its name, if a client handed it over: the digest of its entry. */
  readonly boundTo?: string
}

/** The servers by name. */
export type ServerSettings = Readonly<Record<string, ServerSetting>>

const NAME = '^[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*$'
/** Leaves room for the name of a tool. */
const LONGEST_NAME = 24
const VALUE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/
const timeout = number({ min: 0.1, max: 3_600, tighter: 'never' })
const NO_VALUES = new PrivateValues([])
const COLUMNS = [
  'command',
  'args',
  'env',
  'url',
  'headers',
  'enabled',
  'tools',
  'effect',
  'network',
  'read',
  'write',
  'timeout_seconds',
] as const
const OF_PROGRAMS = ['args', 'env', 'network', 'read', 'write'] as const

/** The tables of `mcp.servers`. They start programs, so a file that comes with a project cannot set them. */
export function servers(): ValueKind<ServerSettings> {
  const expected = 'a table from the name of a server to its entry'
  return {
    type: 'map',
    tighter: 'never',
    expected,
    read: (raw) => (isTable(raw) ? readServers(raw) : notExpected(expected, raw)),
    layer: (base, next) => withoutPrototype([...Object.entries(base), ...Object.entries(next)]),
    tighten: keepBase,
    schema: () => ({
      type: 'object',
      propertyNames: { pattern: NAME, maxLength: LONGEST_NAME },
      additionalProperties: serverSchema(),
    }),
  }
}

function readServers(raw: Readonly<Record<string, unknown>>): Reading<ServerSettings> {
  const faults: Fault[] = []
  const entries: [string, ServerSetting][] = []
  for (const [name, value] of Object.entries(raw)) {
    if (!new RegExp(NAME).test(name) || name.length > LONGEST_NAME) {
      const message = `a server's name has up to ${String(LONGEST_NAME)} letters and digits, with single - and _ between them`
      faults.push({ path: [name], message, hint: 'set the whole table of a server at once' })
      continue
    }
    const reading = isTable(value) ? readServer(value) : notExpected('a table, a server', value)
    if (reading.ok) entries.push([name, reading.value])
    else faults.push(...faultsUnder(name, reading.faults))
  }
  return faults.length === 0 ? { ok: true, value: withoutPrototype(entries) } : { ok: false, faults }
}

function readServer(raw: Readonly<Record<string, unknown>>): Reading<ServerSetting> {
  const faults: Fault[] = unknownColumns(raw, 'a server', COLUMNS)

  function take<T>(name: (typeof COLUMNS)[number], read: (value: unknown) => Reading<T>, absent: T): T {
    if (!Object.hasOwn(raw, name)) return absent
    const reading = read(raw[name])
    if (reading.ok) return reading.value
    faults.push(...faultsUnder(name, reading.faults))
    return absent
  }

  const isProgram = Object.hasOwn(raw, 'command')
  if (isProgram === Object.hasOwn(raw, 'url'))
    faults.push({ path: [], message: 'a server has either "command" or "url"' })
  const misplaced = isProgram ? (['headers'] as const) : OF_PROGRAMS
  for (const name of misplaced)
    if (Object.hasOwn(raw, name))
      faults.push({
        path: [name],
        message: `a server with "${isProgram ? 'command' : 'url'}" has no "${name}"`,
      })
  const server: ServerSetting = {
    command: take<string | null>('command', readProgram, null),
    args: take('args', readStrings, []),
    env: take('env', readValues, NO_VALUES),
    url: take<string | null>('url', readUrl, null),
    headers: take('headers', readValues, NO_VALUES),
    enabled: take('enabled', readSwitch, true),
    tools: take('tools', readStrings, ['*']),
    effect: take('effect', readEffect, 'external'),
    network: take('network', readSwitch, false),
    read: take('read', readStrings, []),
    write: take('write', readStrings, []),
    timeout_seconds: take('timeout_seconds', (value) => timeout.read(value), 60),
  }
  return faults.length === 0 ? { ok: true, value: server } : { ok: false, faults }
}

/** A relative path would depend on where the program is started. */
function readProgram(raw: unknown): Reading<string> {
  const reading = readText(raw)
  if (!reading.ok || reading.value.startsWith('/') || !reading.value.includes('/')) return reading
  return failAt({ message: 'it must be an absolute path, or a name that PATH finds', found: { value: raw } })
}

function readUrl(raw: unknown): Reading<string> {
  const reading = readText(raw)
  if (!reading.ok) return reading
  const parsed = URL.parse(reading.value)
  const isLocal = parsed !== null && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(parsed.hostname)
  if (parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLocal)) {
    if (parsed.username === '' && parsed.password === '') return reading
    return failAt({ message: 'it must not contain a password', hint: 'use "headers"' })
  }
  return failAt({ message: 'it must begin with https://, or with http:// on this machine' })
}

function readSwitch(raw: unknown): Reading<boolean> {
  return typeof raw === 'boolean' ? { ok: true, value: raw } : notExpected('true or false', raw)
}

function readEffect(raw: unknown): Reading<'read' | 'external'> {
  return raw === 'read' || raw === 'external'
    ? { ok: true, value: raw }
    : notExpected('"read" or "external"', raw)
}

function readValues(raw: unknown): Reading<PrivateValues> {
  if (!isTable(raw)) return notExpected('a table of strings', raw)
  const faults: Fault[] = []
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(raw)) {
    if (!VALUE_NAME.test(name)) faults.push({ path: [name], message: 'this is not a name' })
    else if (typeof value !== 'string' || /[\0\r\n]/.test(value))
      faults.push({ path: [name], message: 'it must be a string on one line' })
    else entries.push([name, value])
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: new PrivateValues(entries) }
}

function withoutPrototype<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  const table: Record<string, T> = Object.create(null)
  for (const [name, value] of entries) table[name] = value
  return table
}

function text(description: string): JsonObject {
  return { type: 'string', minLength: 1, description }
}

function words(description: string): JsonObject {
  const items = { type: 'string', minLength: 1, description: 'One of them.' }
  return { type: 'array', items, description }
}

function values(description: string): JsonObject {
  const inner = { type: 'string', description: 'Its value; ${NAME} is a variable of yours.' }
  return { type: 'object', additionalProperties: inner, description }
}

function serverSchema(): JsonObject {
  return {
    type: 'object',
    description: 'One server.',
    properties: {
      command: text('The program to start, by an absolute path or a name that PATH finds.'),
      args: words('Its arguments.'),
      env: values('Variables for it.'),
      url: text('The address of a server that already runs, instead of a program.'),
      headers: values('Headers for each request to it.'),
      enabled: { type: 'boolean', description: 'False keeps the entry and does not use it. True if absent.' },
      tools: words('Which of its tools are used, by name, with * and ? as wildcards; all if absent.'),
      effect: {
        enum: ['read', 'external'],
        description: 'What its tools do: `read` is for tools that change nothing. External if absent.',
      },
      network: { type: 'boolean', description: 'Whether the program has network. False if absent.' },
      read: words('Paths that the program may read; relative ones start at the root.'),
      write: words('Paths that the program may read and write.'),
      timeout_seconds: { ...timeout.schema(), description: 'How long a call may take. 60 if absent.' },
    },
    anyOf: [{ required: ['command'] }, { required: ['url'] }],
    additionalProperties: false,
  }
}
