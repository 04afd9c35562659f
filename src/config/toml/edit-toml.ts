import { isDeepStrictEqual } from 'node:util'
import { trimEndOf } from '../../core/text/trim-end.ts'
import type { Position } from '../../core/text/position.ts'
import { locateKeys } from './locate-keys.ts'
import { parseToml } from './parse-toml.ts'

/** Values for keys of one table, by their last word; null takes a key away. */
export type TableChange = Readonly<Record<string, string | number | readonly string[] | null>>

/** The new text, or why the text cannot be changed without touching anything else. */
export type EditedToml =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string }

/**
 * Sets keys of a table in a TOML text and leaves everything else as it is: comments, order, layout and line ends. The
 * result is read again, and given only if it says exactly what was wanted.
 */
export async function editToml(text: string, table: string, change: TableChange): Promise<EditedToml> {
  const before = await parseToml(text)
  if (!before.ok) return { ok: false, why: before.message }
  let edited = text
  // A new key goes to the top of its table, so the last one is set first.
  for (const [name, value] of Object.entries(change).toReversed())
    edited = value === null ? removeKey(edited, table, name) : setKey(edited, table, name, toToml(value))
  const after = await parseToml(edited)
  const isAsWanted =
    after.ok && isDeepStrictEqual(plainOf(after.table), plainOf(apply(before.table, table, change)))
  return isAsWanted ? { ok: true, text: edited } : { ok: false, why: 'its layout is unusual' }
}

/** Values as `key = value` lines of a table, for a person to copy. */
export function showTable(table: string, change: TableChange): string {
  const rows = Object.entries(change).flatMap(([name, value]) =>
    value === null ? [] : [`${name} = ${toToml(value)}`],
  )
  return [`[${table}]`, ...rows].join('\n')
}

/** A value as TOML writes it. */
export function toToml(value: string | number | boolean | readonly string[]): string {
  // Every escape of JSON is one of TOML too, except for those of surrogates, which no name has.
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

function setKey(text: string, table: string, name: string, value: string): string {
  const found = findKey(text, table, name)
  if (found !== null) return text.slice(0, found.valueStart) + value + text.slice(found.valueEnd)
  const end = /\r\n/.test(text) ? '\r\n' : '\n'
  const header = new RegExp(
    `^[ \\t]*\\[[ \\t]*${table}[ \\t]*\\][ \\t]*(?:#[^\\n]*)?\\r?(?:\\n|$(?![^]))`,
    'm',
  ).exec(text)
  if (header !== null) {
    const at = header.index + header[0].length
    const isOpen = !header[0].endsWith('\n')
    return `${text.slice(0, at)}${isOpen ? end : ''}${name} = ${value}${end}${text.slice(at)}`
  }
  const inline = new RegExp(`^[ \\t]*${table}[ \\t]*=[ \\t]*\\{`, 'm').exec(text)
  if (inline !== null) {
    const at = inline.index + inline[0].length
    const isEmpty = /^\s*\}/.test(text.slice(at))
    return `${text.slice(0, at)} ${name} = ${value}${isEmpty ? ' ' : ','}${text.slice(at)}`
  }
  const dotted = new RegExp(`^[ \\t]*${table}[ \\t]*\\.`, 'm').exec(text)
  if (dotted !== null)
    return `${text.slice(0, dotted.index)}${table}.${name} = ${value}${end}${text.slice(dotted.index)}`
  const gap = text.trim() === '' ? '' : end
  const closed = text === '' || text.endsWith('\n') ? text : `${text}${end}`
  return `${closed}${gap}[${table}]${end}${name} = ${value}${end}`
}

function removeKey(text: string, table: string, name: string): string {
  const found = findKey(text, table, name)
  if (found === null) return text
  const lineStart = text.lastIndexOf('\n', found.start - 1) + 1
  const isAlone = text.slice(lineStart, found.start).trim() === ''
  const rest = /^[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/.exec(text.slice(found.valueEnd))
  if (isAlone && rest !== null) return text.slice(0, lineStart) + text.slice(found.valueEnd + rest[0].length)
  const before = text.slice(0, found.start)
  const after = text.slice(found.valueEnd)
  // In an inline table one comma goes with it.
  return /^\s*,/.test(after)
    ? before + after.replace(/^\s*,[ \t]*/, '')
    : `${withoutComma(trimEndOf(before, ' \t'))} ${after}`
}

function withoutComma(text: string): string {
  return text.endsWith(',') ? text.slice(0, -1) : text
}

interface FoundKey {
  readonly start: number
  readonly valueStart: number
  readonly valueEnd: number
}

function findKey(text: string, table: string, name: string): FoundKey | null {
  const position = locateKeys(text).get(`${table}.${name}`)
  if (position === undefined) return null
  const start = offsetOf(text, position)
  const equals = text.indexOf('=', start)
  if (equals === -1) return null
  const valueStart = equals + 1 + (/^[ \t]*/.exec(text.slice(equals + 1))?.[0].length ?? 0)
  return { start, valueStart, valueEnd: endOfValue(text, valueStart) }
}

function offsetOf(text: string, { line, column }: Position): number {
  let start = 0
  for (let at = 1; at < line; at++) start = text.indexOf('\n', start) + 1
  return (
    start +
    Array.from(text.slice(start))
      .slice(0, column - 1)
      .join('').length
  )
}

const TEXT = /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

/** Where a value ends: after its closing quotation mark or bracket, or before what follows a plain one. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    TEXT.lastIndex = at
    const quoted = TEXT.exec(text)?.[0]
    const character = text[at] ?? ''
    if (quoted !== undefined) at += quoted.length - 1
    else if (character === '#' && depth > 0) at = Math.max(at, text.indexOf('\n', at))
    else if (character === '[' || character === '{') depth++
    else if ((character === ']' || character === '}') && depth > 0) depth--
    else if (depth === 0) {
      const plain = /^[^\s,\]}#]*/.exec(text.slice(at))?.[0] ?? ''
      return at + plain.length
    }
    if (depth === 0) return at + 1
  }
  return text.length
}

function apply(
  before: Readonly<Record<string, unknown>>,
  table: string,
  change: TableChange,
): Readonly<Record<string, unknown>> {
  const old = before[table]
  const next: Record<string, unknown> = typeof old === 'object' && old !== null ? { ...old } : {}
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete next[name]
    else next[name] = value
  }
  const isNothing = Object.keys(next).length === 0 && old === undefined
  return isNothing ? before : { ...before, [table]: next }
}

/** Without prototypes and big integers, so that what was read twice can be compared. */
export function plainOf(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)),
  )
}
