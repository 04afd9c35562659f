import { once } from '../../core/memoize.ts'
import { collectDenyNames } from './deny-names.ts'
import type { DenyRule } from './deny-rule.ts'

/** How far denied patterns have come along the names of a path. */
export interface DenyPlace {
  /** The patterns that match the path so far, in their order. */
  readonly hits: readonly DenyRule[]
  /** Takes a name as it is and in folded form. */
  readonly enter: (name: string, folded: string) => DenyPlace
  /** The same place as a root, where patterns begin that start there. */
  readonly asRoot: () => DenyPlace
}

const BITS = 32
const NO_HITS: readonly DenyRule[] = []

/**
 * Follows all denied patterns at once, name by name, from the top of the file system: a project that nobody trusts may
 * have hundreds of them, and each is about each name in the workspace.
 */
export function startDenies(rules: readonly DenyRule[]): DenyPlace {
  const names = collectDenyNames()
  const count = rules.reduce((sum, { alternatives }) => sum + countGaps(alternatives), 0)
  const words = Math.ceil(count / BITS)
  const bits = (): Uint32Array => new Uint32Array(words)
  /** The gaps that stay open for every name and behind which the next is open too; where patterns begin and end. */
  const [doubleStars, atTop, atRoot, ends] = [bits(), bits(), bits(), bits()]
  const gapsOf = new Map<number, number[]>()
  const ruleAt = new Map<number, DenyRule>()
  let gap = 0
  for (const rule of rules)
    for (const alternative of rule.alternatives) {
      if (rule.startsAtTop) setBit(atTop, gap)
      if (rule.startsAtRoot) setBit(atRoot, gap)
      for (const name of alternative) {
        if (name === '**') setBit(doubleStars, gap)
        else {
          const number = names.numberOf(name)
          const gaps = gapsOf.get(number)
          if (gaps === undefined) gapsOf.set(number, [gap])
          else gaps.push(gap)
        }
        gap += 1
      }
      setBit(ends, gap)
      ruleAt.set(gap, rule)
      gap += 1
    }

  /** Passes over `**` at once, as it may stand for no name; several in a row too. */
  function openBehindStars(open: Uint32Array): Uint32Array {
    let carry = 0
    for (let word = 0; word < words; word++) {
      let now = (open[word] ?? 0) | carry
      for (let more = now; more !== 0;) {
        more = ((now & (doubleStars[word] ?? 0)) << 1) & ~now
        now |= more
      }
      open[word] = now
      carry = (now & (doubleStars[word] ?? 0)) >>> (BITS - 1)
    }
    return open
  }

  function findHits(open: Uint32Array): readonly DenyRule[] {
    const hits = new Set<DenyRule>()
    for (let word = 0; word < words; word++)
      for (let found = (open[word] ?? 0) & (ends[word] ?? 0); found !== 0; found &= found - 1) {
        const rule = ruleAt.get(word * BITS + BITS - 1 - Math.clz32(found & -found))
        if (rule !== undefined) hits.add(rule)
      }
    return hits.size === 0 ? NO_HITS : [...hits]
  }

  function placeAt(open: Uint32Array): DenyPlace {
    const stay = (): Uint32Array => open.map((word, at) => word & (doubleStars[at] ?? 0))
    /** Most names fit no name of a pattern. */
    const withoutFit = once(() => placeAt(openBehindStars(stay())))
    return {
      hits: findHits(open),
      enter(name, folded) {
        const fitting = names.find(name, folded)
        if (fitting.length === 0) return withoutFit()
        const next = stay()
        for (const number of fitting)
          for (const at of gapsOf.get(number) ?? []) if (hasBit(open, at)) setBit(next, at + 1)
        return placeAt(openBehindStars(next))
      },
      asRoot: () => placeAt(openBehindStars(open.map((word, at) => word | (atRoot[at] ?? 0)))),
    }
  }

  return placeAt(openBehindStars(atTop.slice()))
}

function countGaps(alternatives: DenyRule['alternatives']): number {
  return alternatives.reduce((sum, { length }) => sum + length + 1, 0)
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return (((bits[Math.floor(at / BITS)] ?? 0) >>> (at % BITS)) & 1) === 1
}

function setBit(bits: Uint32Array, at: number): void {
  const word = Math.floor(at / BITS)
  bits[word] = (bits[word] ?? 0) | (1 << (at % BITS))
}
