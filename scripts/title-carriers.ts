import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readTitle } from './requirement-titles.ts'

interface TestSource {
  readonly ids: ReadonlySet<string>
  readonly imports: readonly string[]
}

/**
 * Which test files carry which ids, read from the sources. A file also carries what the helpers it imports put into
 * titles. Files that only run in the long suite are left out.
 */
export function findCarriers(
  top: string,
  known: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const files = globSync('test/**/*.ts', { cwd: top }).map((file) => file.replaceAll('\\', '/'))
  const sources = new Map(
    files.map((file) => [file, readTestSource(file, readFileSync(join(top, file), 'utf8'), known)]),
  )
  const carriers = new Map<string, string[]>()
  for (const file of files.toSorted()) {
    if (!file.endsWith('.test.ts') || file.endsWith('.long.test.ts')) continue
    for (const id of idsWithin(file, sources)) carriers.set(id, [...(carriers.get(id) ?? []), file])
  }
  return carriers
}

function readTestSource(file: string, text: string, known: ReadonlySet<string>): TestSource {
  const ids = new Set<string>()
  // A title is the first argument of `it`, or of what `it.for` and `it.each` give back.
  for (const [, begin = ''] of text.matchAll(/(?:\bit|\))\(\s*['"`]([^'"`\n]+: )/g))
    for (const id of readTitle(begin, known).ids) ids.add(id)
  const imports = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    posix.join(posix.dirname(file), path),
  )
  return { ids, imports }
}

function idsWithin(file: string, sources: ReadonlyMap<string, TestSource>): ReadonlySet<string> {
  const ids = new Set<string>()
  const met = new Set<string>()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const source = sources.get(next)
    if (source === undefined || met.has(next)) continue
    met.add(next)
    for (const id of source.ids) ids.add(id)
    open.push(...source.imports)
  }
  return ids
}
