import type { Token } from '../../core/glob/parse.ts'

type Range = readonly [string, string]

/** A bracketed set, and where the pattern continues after it. */
export interface ReadSet {
  readonly token: Token
  readonly end: number
}

const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  alnum: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
  alpha: [
    ['A', 'Z'],
    ['a', 'z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  cntrl: [
    ['\0', '\u001f'],
    ['\u007f', '\u007f'],
  ],
  digit: [['0', '9']],
  graph: [['!', '~']],
  lower: [['a', 'z']],
  print: [[' ', '~']],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  space: [
    [' ', ' '],
    ['\t', '\r'],
  ],
  upper: [['A', 'Z']],
  xdigit: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
}
const NAMED_CLASS = /^\[:([^\]]*):\]/

/** Reads the set that begins at `from`; null if it never closes or names an unknown class. */
export function readIgnoreSet(characters: readonly string[], from: number): ReadSet | null {
  const isNegated = characters[from + 1] === '!' || characters[from + 1] === '^'
  const first = from + (isNegated ? 2 : 1)
  const ranges: Range[] = []
  let at = first
  const readOne = (): string => {
    if (characters[at] === '\\') at += 1
    const character = characters[at] ?? ''
    at += 1
    return character
  }
  while (at < characters.length && (characters[at] !== ']' || at === first)) {
    const named = characters[at] === '[' ? NAMED_CLASS.exec(characters.slice(at, at + 12).join('')) : null
    if (named !== null) {
      const known = CLASSES[named[1] ?? '']
      if (known === undefined) return null
      ranges.push(...known)
      at += named[0].length
      continue
    }
    const low = readOne()
    const isRange = characters[at] === '-' && at + 1 < characters.length && characters[at + 1] !== ']'
    if (isRange) at += 1
    ranges.push([low, isRange ? readOne() : low])
  }
  return characters[at] === ']' ? { token: { kind: 'set', isNegated, ranges }, end: at + 1 } : null
}
