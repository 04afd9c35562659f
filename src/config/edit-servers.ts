import { isDeepStrictEqual } from 'node:util'
import { plainOf, toToml } from './toml/edit-toml.ts'
import type { EditedToml } from './toml/edit-toml.ts'
import { isTable } from './kinds/value-kind.ts'
import { parseToml } from './toml/parse-toml.ts'

/** The entry of a server as it is written. */
export type ServerEntry = Readonly<
  Record<string, string | boolean | readonly string[] | Readonly<Record<string, string>>>
>

/** Adds `[mcp.servers.NAME]` at the end of a TOML text; everything else stays as it is. */
export async function addServer(text: string, name: string, entry: ServerEntry): Promise<EditedToml> {
  const before = await parseToml(text)
  if (!before.ok) return { ok: false, why: before.message }
  if (Object.hasOwn(serversIn(before.table), name))
    return { ok: false, why: `it has a server ${name} already` }
  const closed = text === '' || text.endsWith('\n') ? text : `${text}\n`
  const edited = `${closed}${closed.trim() === '' ? '' : '\n'}${showServer(name, entry)}\n`
  const wanted = { ...serversIn(before.table), [name]: entry }
  return checked(edited, before.table, wanted)
}

/** The names of the servers in a TOML text; null if it cannot be read. */
export async function namesOfServers(text: string): Promise<readonly string[] | null> {
  const before = await parseToml(text)
  return before.ok ? Object.keys(serversIn(before.table)) : null
}

/** Removes the tables of a server from a TOML text. */
export async function removeServer(text: string, name: string): Promise<EditedToml> {
  const before = await parseToml(text)
  if (!before.ok) return { ok: false, why: before.message }
  const { [name]: removed, ...rest } = serversIn(before.table)
  if (removed === undefined) return { ok: false, why: `it has no server ${name}` }
  const header = new RegExp(`^\\s*\\[\\s*mcp\\s*\\.\\s*servers\\s*\\.\\s*"?${name}"?\\s*(?:\\.[^\\]]*)?\\]`)
  let isInside = false
  const kept = text.split(/(?<=\n)/).filter((line) => {
    if (/^\s*\[/.test(line)) isInside = header.test(line)
    return !isInside
  })
  return checked(kept.join(''), before.table, rest)
}

/** The entry as text, for a person to copy. */
export function showServer(name: string, entry: ServerEntry): string {
  const rows = Object.entries(entry).map(([key, value]) => `${key} = ${spell(value)}`)
  return [`[mcp.servers.${name}]`, ...rows].join('\n')
}

function spell(value: ServerEntry[string]): string {
  if (typeof value !== 'object' || Array.isArray(value)) return toToml(value)
  const pairs = Object.entries(value).map(([name, text]) => `${toToml(name)} = ${toToml(text)}`)
  return `{ ${pairs.join(', ')} }`
}

function serversIn(table: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { mcp } = table
  const servers = isTable(mcp) ? mcp['servers'] : undefined
  return isTable(servers) ? servers : {}
}

/** The text if it says exactly what was wanted, and everything else as before. */
async function checked(
  text: string,
  before: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Promise<EditedToml> {
  const after = await parseToml(text)
  const isAsWanted =
    after.ok &&
    isDeepStrictEqual(plainOf(serversIn(after.table)), plainOf(wanted)) &&
    isDeepStrictEqual(plainOf({ ...after.table, mcp: null }), plainOf({ ...before, mcp: null }))
  return isAsWanted ? { ok: true, text } : { ok: false, why: 'its layout is unusual' }
}
