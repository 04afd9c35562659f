import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { readText } from './collection-kinds.ts'
import { keepBase } from './scalar-kinds.ts'
import { failAt, faultsUnder, isTable, notExpected } from './value-kind.ts'
import type { Fault, Reading, ValueKind } from './value-kind.ts'

/** A tool that exists only as a description: a person supplies its results. */
export interface DefinitionSetting {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** What a model costs per million tokens of each kind. */
export interface PriceSetting {
  /** A model's name, or a prefix followed by "*". */
  readonly model: string
  readonly input: number
  readonly output: number
  /** For input that the provider had cached from earlier requests. */
  readonly cached: number
}

const DEEPEST = 64

type Columns<Row> = { readonly [Name in keyof Row]: (value: unknown) => Reading<Row[Name]> }

/** A list of tables with the same columns, all of them required; a file that may only tighten cannot change it. */
function tablesOf<Row extends object>(
  noun: string,
  columns: Columns<Row>,
  properties: JsonObject,
): ValueKind<readonly Row[]> {
  const names = Object.keys(columns)

  function readRow(raw: Readonly<Record<string, unknown>>): Reading<Row> {
    const faults: Fault[] = unknownColumns(raw, noun, names)
    const row: Partial<Row> = {}
    for (const name in columns) {
      if (!Object.hasOwn(raw, name)) {
        faults.push({ path: [], message: `${noun} needs "${name}"` })
        continue
      }
      const reading = columns[name](raw[name])
      if (reading.ok) row[name] = reading.value
      else faults.push(...faultsUnder(name, reading.faults))
    }
    // Without a fault every column has been read.
    return faults.length === 0 ? { ok: true, value: row as Row } : { ok: false, faults }
  }

  return {
    type: 'tables',
    tighter: 'never',
    expected: `a list of tables, each ${noun}`,
    read: (raw) => readTables(raw, noun, readRow),
    layer: (_base, next) => next,
    tighten: keepBase,
    schema: () => ({
      type: 'array',
      items: {
        type: 'object',
        description: `Each is ${noun}.`,
        properties,
        required: names,
        additionalProperties: false,
      },
    }),
  }
}

/** Reads a list of tables row by row, and reports which row is wrong. */
export function readTables<Row>(
  raw: unknown,
  noun: string,
  readRow: (raw: Readonly<Record<string, unknown>>) => Reading<Row>,
): Reading<readonly Row[]> {
  if (!Array.isArray(raw))
    return notExpected(`a list of tables, each ${noun}`, raw, 'write it with [[ and ]]')
  const faults: Fault[] = []
  const rows: Row[] = []
  for (const [index, item] of raw.entries()) {
    const reading = isTable(item) ? readRow(item) : notExpected(`a table, ${noun}`, item)
    if (reading.ok) rows.push(reading.value)
    else faults.push(...faultsUnder(index, reading.faults))
  }
  return faults.length === 0 ? { ok: true, value: rows } : { ok: false, faults }
}

/** The faults of unknown columns. */
export function unknownColumns(
  raw: Readonly<Record<string, unknown>>,
  noun: string,
  known: readonly string[],
): Fault[] {
  return Object.keys(raw)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: [name],
      message: `${noun} has no such field`,
      meant: { given: name, among: known },
      hint: `it has ${known.join(', ')}`,
    }))
}

function readDescription(raw: unknown): Reading<string> {
  if (typeof raw !== 'string') return notExpected('a string', raw)
  return raw.trim() === '' ? failAt({ message: 'it must not be empty' }) : { ok: true, value: raw }
}

function readParameters(raw: unknown): Reading<JsonObject> {
  const copy = copyJson(raw, 0)
  if (copy !== undefined && isTable(copy)) return { ok: true, value: copy }
  return notExpected(
    `a JSON Schema as a table, at most ${String(DEEPEST)} levels deep and without dates or "__proto__"`,
    raw,
  )
}

/** The value as plain JSON, or undefined if it has no JSON form or sets a prototype. */
function copyJson(value: unknown, depth: number): JsonValue | undefined {
  if (depth > DEEPEST) return undefined
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => copyJson(item, depth + 1))
    const copied = items.filter((item) => item !== undefined)
    return copied.length === items.length ? copied : undefined
  }
  if (!isTable(value)) return undefined
  const copy: Record<string, JsonValue> = {}
  for (const [name, item] of Object.entries(value)) {
    const itemCopy = copyJson(item, depth + 1)
    if (name === '__proto__' || itemCopy === undefined) return undefined
    copy[name] = itemCopy
  }
  return copy
}

function readPrice(raw: unknown): Reading<number> {
  const price = typeof raw === 'bigint' ? Number(raw) : raw
  return typeof price === 'number' && price >= 0 && Number.isFinite(price)
    ? { ok: true, value: price }
    : notExpected('a number that is not negative', raw)
}

/** The rows of `model.prices`. */
export function prices(): ValueKind<readonly PriceSetting[]> {
  const price = { type: 'number', minimum: 0 }
  return tablesOf<PriceSetting>(
    'a price',
    { model: readText, input: readPrice, output: readPrice, cached: readPrice },
    {
      model: { type: 'string', minLength: 1, description: 'The model, or how its name begins and "*".' },
      input: { ...price, description: 'For a million input tokens.' },
      output: { ...price, description: 'For a million output tokens.' },
      cached: { ...price, description: 'For a million input tokens read from the cache.' },
    },
  )
}

/** The rows of `tools.definitions`. */
export function definitions(): ValueKind<readonly DefinitionSetting[]> {
  return tablesOf<DefinitionSetting>(
    'a tool definition',
    { name: readText, description: readDescription, parameters: readParameters },
    {
      name: { type: 'string', minLength: 1, description: 'The name the model calls.' },
      description: { type: 'string', minLength: 1, description: 'What the model is told about the tool.' },
      parameters: { type: 'object', description: 'The JSON Schema of the arguments.' },
    },
  )
}
