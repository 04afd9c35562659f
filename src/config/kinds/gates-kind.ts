import type { JsonObject } from '../../core/json/value.ts'
import { readStrings, readText } from './collection-kinds.ts'
import { number } from './scalar-kinds.ts'
import { readTables, unknownColumns } from './table-kinds.ts'
import { failAt, faultsUnder } from './value-kind.ts'
import type { Fault, Reading, ValueKind } from './value-kind.ts'

/** One of the user's own gates: a program that is told about a call and may object. */
export interface GateSetting {
  readonly name: string
  /** The program, as an absolute path or a name found in PATH, and its arguments. */
  readonly command: readonly string[]
  readonly timeout_seconds: number
  /** Tool names, with wildcards; the gate is asked about calls of these tools. */
  readonly tools: readonly string[]
}

const COLUMNS = ['name', 'program', 'command', 'timeout_seconds', 'tools'] as const
const timeout = number({ min: 0.001, max: 600, tighter: 'never' })
const ABSENT = { timeout_seconds: 10, tools: ['*'] } as const

/** The characters of tool names, and two wildcards. */
const PATTERN = '^[A-Za-z0-9_.*?-]{1,64}$'

/**
 * The rows of `tools.gates`. A gate can only object, so a file that may only tighten may add gates but not remove
 * any.
 */
export function gates(): ValueKind<readonly GateSetting[]> {
  return {
    type: 'tables',
    tighter: 'add',
    expected: 'a list of tables, each a gate',
    read: (raw) => readTables(raw, 'a gate', readGate),
    layer: (_base, next) => next,
    tighten: (base, proposed) => ({ value: unite(base, proposed) }),
    schema: () => ({ type: 'array', items: gateSchema() }),
  }
}

function unite(base: readonly GateSetting[], more: readonly GateSetting[]): readonly GateSetting[] {
  const seen = new Set(base.map((gate) => JSON.stringify(gate)))
  return [...base, ...more.filter((gate) => seen.size < seen.add(JSON.stringify(gate)).size)]
}

function readGate(given: Readonly<Record<string, unknown>>): Reading<GateSetting> {
  const faults: Fault[] = unknownColumns(given, 'a gate', COLUMNS)
  const raw = withCommand(given, faults)

  function take<T>(name: keyof GateSetting, read: (value: unknown) => Reading<T>, absent: T): T {
    if (!Object.hasOwn(raw, name)) {
      if (!Object.hasOwn(ABSENT, name)) faults.push({ path: [], message: `a gate needs "${name}"` })
      return absent
    }
    const reading = read(raw[name])
    if (reading.ok) return reading.value
    faults.push(...faultsUnder(name, reading.faults))
    return absent
  }

  const command = take('command', readCommand, [])
  const gate: GateSetting = {
    name: Object.hasOwn(raw, 'name') ? take('name', readText, '') : nameOf(command),
    command,
    timeout_seconds: take('timeout_seconds', (value) => timeout.read(value), ABSENT.timeout_seconds),
    tools: take('tools', readPatterns, ABSENT.tools),
  }
  return faults.length === 0 ? { ok: true, value: gate } : { ok: false, faults }
}

/** A program without arguments needs no list; `program` is a synonym. */
function withCommand(
  { program, ...raw }: Readonly<Record<string, unknown>>,
  faults: Fault[],
): Readonly<Record<string, unknown>> {
  if (program !== undefined && raw['command'] !== undefined)
    faults.push({ path: ['program'], message: 'it means the same as "command"; give only one of them' })
  const command = raw['command'] ?? program
  if (command === undefined) return raw
  return { ...raw, command: typeof command === 'string' ? [command] : command }
}

/** A gate without a name is named after its program. */
function nameOf([program = '']: readonly string[]): string {
  return program.split(/[\\/]/).at(-1) ?? program
}

/** A relative path would depend on where the gate runs, and the project must not decide that. */
function readCommand(raw: unknown): Reading<readonly string[]> {
  const reading = readStrings(raw)
  if (!reading.ok) return reading
  const [program] = reading.value
  if (program === undefined) return failAt({ message: 'it must name a program' })
  const isAbsolute = program.startsWith('/') || /^[A-Za-z]:[\\/]/.test(program)
  if (isAbsolute || !/[\\/]/.test(program)) return reading
  return {
    ok: false,
    faults: [
      {
        path: [0],
        message: 'it must be an absolute path, or a name that PATH finds',
        found: { value: program },
        hint: 'write the whole path, such as /home/me/bin/gate',
      },
    ],
  }
}

function readPatterns(raw: unknown): Reading<readonly string[]> {
  const reading = readStrings(raw)
  if (!reading.ok) return reading
  if (reading.value.length === 0)
    return failAt({ message: 'it must name at least one', hint: 'leave it out for all tools' })
  const faults = reading.value.flatMap((pattern, index): readonly Fault[] =>
    new RegExp(PATTERN).test(pattern)
      ? []
      : [
          {
            path: [index],
            message: 'it must be the name of a tool, with * and ? as wildcards',
            found: { value: pattern },
          },
        ],
  )
  return faults.length === 0 ? reading : { ok: false, faults }
}

function gateSchema(): JsonObject {
  const text: JsonObject = { type: 'string', minLength: 1 }
  return {
    type: 'object',
    description: 'Each is a gate.',
    properties: {
      name: {
        ...text,
        description: 'The name of the gate in explanations; the name of its program if absent.',
      },
      command: {
        anyOf: [text, { type: 'array', minItems: 1, items: { ...text, description: 'One word.' } }],
        description:
          'The program, by an absolute path or a name that PATH finds, alone or in a list with its arguments.',
      },
      program: { ...text, description: 'Another word for the command of a gate without arguments.' },
      timeout_seconds: {
        ...timeout.schema(),
        description: 'How long it may take; no answer counts as a denial. 10 if absent.',
      },
      tools: {
        type: 'array',
        minItems: 1,
        items: { type: 'string', pattern: PATTERN, description: 'One pattern.' },
        description: 'Which tools it is asked about, by name, with * and ? as wildcards; all if absent.',
      },
    },
    anyOf: [{ required: ['command'] }, { required: ['program'] }],
    additionalProperties: false,
  }
}
