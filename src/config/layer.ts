import { isKey, KEY_NAMES, SECTIONS, SPECS } from './keys.ts'
import type { Key } from './keys.ts'
import { isTable } from './kinds/value-kind.ts'
import type { Fault } from './kinds/value-kind.ts'
import { locateKeys, pathText } from './toml/locate-keys.ts'
import type { Position } from '../core/text/position.ts'
import { parseToml, parseValue } from './toml/parse-toml.ts'
import type { ConfigProblem, FileText } from './settings-input.ts'
import { findExcessEntries, findExcessText } from './untrusted-file.ts'
import { unknownKey, describeFault } from './describe-fault.ts'

/** Who a layer speaks for: the user, a preset, or a file that may only tighten. */
export type Authority = 'own' | 'preset' | 'trusted project' | 'project' | 'managed'

/** The values from one source, already of the right types. */
export interface Layer {
  readonly name: string
  readonly authority: Authority
  readonly values: ReadonlyMap<Key, unknown>
  /** Where a key is set, for messages. */
  readonly locate: (key: Key) => string
  /** Where an item of a key's list is, counted from 0. */
  readonly locateItem: (key: Key, index: number) => string
}

export interface LayerReading {
  readonly layer: Layer
  readonly problems: readonly ConfigProblem[]
}

type Locator = (path: string) => Position | undefined

/** Reads a TOML file as a layer. */
export async function readFileLayer(file: FileText, authority: Authority): Promise<LayerReading> {
  const tooLong = authority === 'project' ? findExcessText(file.text) : null
  if (tooLong !== null) return failedLayer(file, authority, tooLong)
  const reading = await parseToml(file.text)
  let positions: ReadonlyMap<string, Position> | undefined
  const locate: Locator = (path) => (positions ??= locateKeys(file.text)).get(path)
  const name = authority === 'managed' ? `managed ${file.path}` : file.path
  if (!reading.ok) return failedLayer(file, authority, { ...reading.position, message: reading.message })
  const tooMuch = authority === 'project' ? findExcessEntries(reading.table) : null
  if (tooMuch !== null) return failedLayer(file, authority, tooMuch)
  return readTable(reading.table, { name, source: file.path, authority, locate })
}

/** A file of which nothing can be used. */
function failedLayer(
  { path }: FileText,
  authority: Authority,
  problem: Omit<ConfigProblem, 'source'>,
): LayerReading {
  return {
    layer: { name: path, authority, values: new Map(), locate: () => path, locateItem: () => path },
    problems: [{ source: path, ...problem }],
  }
}

/** Reads one key and the text of its value, as given on a command line or in a variable. */
export async function readTextLayer(name: string, path: string, text: string): Promise<LayerReading> {
  const reading = await parseValue(text)
  const place = { name, source: name, authority: 'own' as const, locate: () => undefined }
  if (reading.ok) return readTable({ [path]: reading.value }, place)
  const hint = 'give it a value such as true, 5, word or ["a", "b"]'
  const layer: Layer = {
    name,
    authority: 'own',
    values: new Map(),
    locate: () => name,
    locateItem: () => name,
  }
  return {
    layer,
    problems: [{ source: name, ...describeFault(path, { path: [], message: reading.message, hint }) }],
  }
}

interface Place {
  readonly name: string
  readonly source: string
  readonly authority: Authority
  readonly locate: Locator
}

/** More problems than anyone reads; describing a million of them would take too long. */
const MOST_PROBLEMS = 20

const MAP_KEYS = KEY_NAMES.filter((key) => SPECS[key].kind.type === 'map')

/** Reads a table of values, nested or with dotted names, as a layer. */
export function readTable(table: Readonly<Record<string, unknown>>, place: Place): LayerReading {
  const values = new Map<Key, unknown>()
  const problems: ConfigProblem[] = []

  function complain(key: string, fault: Fault): void {
    if (problems.length >= MOST_PROBLEMS) return
    // The nearest enclosing thing with a known location.
    const steps = [key, ...fault.path]
    const position = steps
      .map((_, index) => place.locate(pathText(steps.slice(0, steps.length - index))))
      .find((found) => found !== undefined)
    problems.push({ source: place.source, ...position, ...describeFault(key, fault) })
  }

  function take(key: Key, raw: unknown): void {
    const { kind } = SPECS[key]
    const before = values.get(key)
    if (before !== undefined && kind.type !== 'map')
      return complain(key, { path: [], message: 'it is given twice' })
    const reading = kind.read(raw)
    if (reading.ok) values.set(key, before === undefined ? reading.value : kind.layer(before, reading.value))
    else for (const fault of reading.faults) complain(key, fault)
  }

  function walk(path: string, value: unknown): void {
    const map = MAP_KEYS.find((key) => path.startsWith(`${key}.`))
    // A program may leave a value out by passing undefined.
    if (value === undefined) return
    if (isKey(path)) take(path, value)
    else if (map !== undefined) take(map, { [path.slice(map.length + 1)]: value })
    else if (!SECTIONS.has(path)) complain(path, { path: [], ...unknownKey(path) })
    else if (!isTable(value))
      complain(path, { path: [], message: 'it is a section, not a value', found: { value } })
    else for (const [name, inner] of Object.entries(value)) walk(`${path}.${name}`, inner)
  }

  for (const [name, value] of Object.entries(table)) walk(name, value)
  const locate = (key: Key): string => {
    const position = place.locate(key)
    if (position === undefined) return place.source
    return `${place.source}:${String(position.line)}:${String(position.column)}`
  }
  const locateItem = (key: Key, index: number): string => {
    const position = place.locate(pathText([key, index]))
    if (position === undefined) return `${place.source}, ${key}[${String(index + 1)}]`
    return `${place.source}:${String(position.line)}:${String(position.column)}`
  }
  return { layer: { name: place.name, authority: place.authority, values, locate, locateItem }, problems }
}
