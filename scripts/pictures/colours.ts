/** The 16 colours of a terminal, legible on a dark ground. */
const NAMED = [
  '#22252b',
  '#e0787f',
  '#98c379',
  '#dfb976',
  '#6cb2f0',
  '#c78bdd',
  '#5fbcc6',
  '#c8ccd4',
  '#7f8692',
  '#f0949a',
  '#b1dc92',
  '#f2d08f',
  '#8ec6f7',
  '#dba6ee',
  '#7fd6df',
  '#f4f6f9',
] as const

const CUBE = [0, 95, 135, 175, 215, 255] as const
const CUBE_BEGINS = 16
const GREYS_BEGIN = 232

interface FoundColour {
  readonly colour: string
  readonly isBack: boolean
  /** How many numbers of the sequence it takes. */
  readonly length: number
}

/** Reads the colour that begins at a number of an SGR sequence, if one does. */
export function readColour(numbers: readonly number[], at: number): FoundColour | null {
  const code = numbers[at] ?? 0
  if (code === 38 || code === 48) return readExtended(numbers.slice(at), code === 48)
  const base = [30, 40, 90, 100].find((first) => code >= first && code < first + 8)
  if (base === undefined) return null
  const colour = NAMED[code - base + (base >= 90 ? 8 : 0)] ?? NAMED[7]
  return { colour, isBack: base === 40 || base === 100, length: 1 }
}

function readExtended([, kind, ...more]: readonly number[], isBack: boolean): FoundColour | null {
  if (kind === 5) return { colour: colourOf(more[0] ?? 0), isBack, length: 3 }
  if (kind === 2) return { colour: hexOf(more.slice(0, 3)), isBack, length: 5 }
  return null
}

/** One of the 256 colours. */
function colourOf(index: number): string {
  if (index < CUBE_BEGINS) return NAMED[index] ?? NAMED[7]
  if (index >= GREYS_BEGIN) return hexOf(Array<number>(3).fill(8 + 10 * (index - GREYS_BEGIN)))
  const place = index - CUBE_BEGINS
  return hexOf([Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6].map((step) => CUBE[step] ?? 0))
}

function hexOf(parts: readonly number[]): string {
  return `#${parts.map((part) => Math.min(255, Math.max(0, part)).toString(16).padStart(2, '0')).join('')}`
}
