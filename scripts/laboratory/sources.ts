import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'

/** Which sources a part tries: those behind the library, with the command line, or all. */
export type Rooms = 'engine' | 'commands' | 'all'

/** What does not belong to the sources of a part: a change there leaves what was tried as it is. */
const LEFT_OUT: Readonly<Record<Rooms, RegExp>> = {
  engine: /^(faces|terminal|setup)\//,
  commands: /^(faces\/(tui|acp)|terminal|setup)\//,
  all: /^$/,
}

const DIGITS = 12
const known = new Map<Rooms, string>()

/** A name for the sources of a part, which is another one whenever one of them changes. */
export function nameSources(rooms: Rooms): string {
  const found = known.get(rooms)
  if (found !== undefined) return found
  const hash = createHash('sha256')
  const folder = join(TOP, 'src')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !LEFT_OUT[rooms].test(name),
  )
  for (const name of names.toSorted()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)))
  const made = `${rooms} ${hash.digest('hex').slice(0, DIGITS)}`
  known.set(rooms, made)
  return made
}
