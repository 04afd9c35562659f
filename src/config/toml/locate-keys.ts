import { createLocator } from '../../core/text/position.ts'
import type { Position } from '../../core/text/position.ts'

type Path = readonly (string | number)[]

/** What is below a longer name is placed where the nearest shorter one is. */
const LONGEST_NAME = 1_000

/** A path as one string; list items count from 0. */
export function pathText(path: Path): string {
  return path.join('.')
}

/**
 * The position of each key and list item in a TOML text. The text must be valid: the parser has already accepted it.
 */
export function locateKeys(text: string): ReadonlyMap<string, Position> {
  const offsets = new Map<string, number>()
  const tableCounts = new Map<string, number>()
  let at = 0

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const skipBlank = (): string => skip(/(?:[\s\uFEFF]|#[^\n]*)*/y)
  const skipSpace = (): string => skip(/[ \t]*/y)

  function mark(path: Path, offset: number): void {
    // The name of each item repeats those above it: a long one with many items would fill the memory.
    const length = path.reduce<number>((sum, step) => sum + String(step).length, path.length)
    if (length > LONGEST_NAME) return
    const name = pathText(path)
    if (!offsets.has(name)) offsets.set(name, offset)
  }

  function readKey(): string[] {
    const parts: string[] = []
    do {
      skipSpace()
      const quoted = skip(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y)
      parts.push(quoted === '' ? skip(/[^\s.=\]"'#]*/y) : unquote(quoted))
      skipSpace()
    } while (skip(/\./y) !== '')
    return parts
  }

  /** The path of a table header; a table array along the way means its latest table. */
  function headerPath(parts: readonly string[], isArray: boolean): Path {
    const path: (string | number)[] = []
    for (const [index, part] of parts.entries()) {
      path.push(part)
      const name = pathText(path)
      const count = tableCounts.get(name)
      if (isArray && index === parts.length - 1) {
        tableCounts.set(name, (count ?? 0) + 1)
        path.push(count ?? 0)
      } else if (count !== undefined) path.push(count - 1)
    }
    return path
  }

  function markPrefixes(base: Path, parts: readonly string[], offset: number): Path {
    for (let length = 1; length <= parts.length; length++) mark([...base, ...parts.slice(0, length)], offset)
    return [...base, ...parts]
  }

  function readValue(path: Path): void {
    if (skip(/\[/y) !== '') readItems(']', (index) => readItem([...path, index]))
    else if (skip(/\{/y) !== '') readItems('}', () => readPair(path))
    else if (skip(/"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y) === '') {
      skip(/[^\s,\]}#][^,\]}#\n]*/y)
    }
  }

  function readItem(path: Path): void {
    mark(path, at)
    readValue(path)
  }

  function readItems(end: string, readOne: (index: number) => void): void {
    for (let index = 0; at < text.length; index++) {
      skipBlank()
      if (text[at] === end) break
      const before = at
      readOne(index)
      skipBlank()
      skip(/,/y)
      if (at === before) return
    }
    at++
  }

  function readPair(base: Path): void {
    const start = at
    const path = markPrefixes(base, readKey(), start)
    skip(/=[ \t]*/y)
    readValue(path)
  }

  let table: Path = []
  for (skipBlank(); at < text.length; skipBlank()) {
    const start = at
    const bracket = skip(/\[\[?/y)
    if (bracket === '') readPair(table)
    else {
      const parts = readKey()
      skip(/\]\]?/y)
      table = headerPath(parts, bracket === '[[')
      for (let length = 1; length <= table.length; length++) mark(table.slice(0, length), start)
    }
    if (at === start) at++
  }
  return positionsOf(text, offsets)
}

function unquote(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    // An escape that TOML has and JSON lacks; only the location shown with a problem depends on it.
    return quoted.slice(1, -1)
  }
}

function positionsOf(text: string, offsets: ReadonlyMap<string, number>): ReadonlyMap<string, Position> {
  const locate = createLocator(text)
  const inOrder = [...offsets].toSorted((first, second) => first[1] - second[1])
  return new Map(inOrder.map(([name, offset]) => [name, locate(offset)]))
}
