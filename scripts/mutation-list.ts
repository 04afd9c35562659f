import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A bug to plant: some text of a source file and what stands there instead. */
export interface Mutation {
  /**
   * The requirement the bug breaks; a test that names it in its title has to fail. For a behaviour that no requirement
   * names: a test file, a colon and a part of the titles of the tests in it that have to notice.
   */
  readonly id: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly text: string
  readonly replacement: string
  /** Set on the row that changes no meaning, which no test may fail over. */
  readonly isControl?: boolean
}

/** What a row is held against. */
export interface ListContext {
  readonly known: ReadonlySet<string>
  /** The test files that carry an id in a title. */
  readonly carriers: ReadonlyMap<string, readonly string[]>
  /** Null if there is no such file. */
  readonly readSource: (file: string) => string | null
}

/** A source with the bug in it, or why the row cannot be planted. */
export type Planted =
  | { readonly ok: true; readonly source: string }
  | { readonly ok: false; readonly fault: string }

const LIST = 'data/mutations.json'

/** The rows of the list, the control included. */
export function readMutations(top: string): readonly Mutation[] {
  return JSON.parse(readFileSync(join(top, LIST), 'utf8')) as readonly Mutation[]
}

/** Reads sources below a folder. */
export function sourceReader(top: string): ListContext['readSource'] {
  return (file) => (existsSync(join(top, file)) ? readFileSync(join(top, file), 'utf8') : null)
}

/** Plants one row; a bug that no longer parses would break every test and prove nothing. */
export function plantIn(source: string | null, row: Mutation): Planted {
  if (source === null) return { ok: false, fault: 'there is no such file' }
  if (row.text === '') return { ok: false, fault: 'the text is empty' }
  const pieces = source.split(row.text)
  if (pieces.length === 1) return { ok: false, fault: 'text not found' }
  if (pieces.length > 2) return { ok: false, fault: `the text occurs ${pieces.length - 1} times` }
  if (row.text === row.replacement) return { ok: false, fault: 'the replacement is the same text' }
  const planted = pieces.join(row.replacement)
  try {
    parseAst(planted, { lang: 'ts' })
  } catch {
    return { ok: false, fault: 'the file does not parse with the replacement' }
  }
  return { ok: true, source: planted }
}

/** The tests that a row names by their file and a part of their titles; null if it names a requirement. */
export function readTestId(id: string): { readonly file: string; readonly title: string } | null {
  const [, file, title] = /^(\S+\.test\.ts): (.+)$/s.exec(id) ?? []
  return file === undefined || title === undefined ? null : { file, title }
}

/** Whether a test file, or a file beside it that it takes tests from, has a title with this text. */
function hasTitle(
  { file, title }: { readonly file: string; readonly title: string },
  readSource: ListContext['readSource'],
): boolean {
  const source = readSource(file)
  if (source === null) return false
  const beside = [...source.matchAll(/from '(\.\/[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
  return [file, ...beside].some((one) => readSource(one)?.includes(title) === true)
}

/** Everything that is wrong with the rows themselves, before any of them is planted. */
export function findListFaults(rows: readonly Mutation[], context: ListContext): readonly string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const name = describeRow(row)
    const planted = plantIn(context.readSource(row.file), row)
    if (!planted.ok) faults.push(`${name}: ${planted.fault}`)
    const tests = readTestId(row.id)
    if (tests !== null) {
      if (!hasTitle(tests, context.readSource)) faults.push(`${name}: ${tests.file} has no such test`)
    } else if (!context.known.has(row.id)) faults.push(`${name}: ${row.id} is not a requirement's id`)
    else if (!context.carriers.has(row.id)) faults.push(`${name}: no test names ${row.id} in its title`)
    const key = JSON.stringify([row.id, row.file, row.text, row.replacement])
    if (seen.has(key)) faults.push(`${name}: the row is listed twice`)
    seen.add(key)
  }
  const controls = rows.filter(({ isControl }) => isControl === true).length
  if (controls !== 1) faults.push(`the list has ${controls} control rows instead of one`)
  return faults
}

/** How a row is named in output: its id, its file and the text as far as it fits. */
export function describeRow({ id, file, text }: Mutation): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return `${id} (${file}, ${JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line)})`
}
