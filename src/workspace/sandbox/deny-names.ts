import { foldedShape, foldPattern, formsOf } from '../../core/glob/glob.ts'
import { asWritten } from '../../core/glob/match-tokens.ts'
import { compileNames } from '../../core/glob/name-machine.ts'
import { once } from '../../core/memoize.ts'
import type { Token } from '../../core/glob/parse.ts'
import type { DenyName } from './deny-rule.ts'

/** Gives each of the names of denied patterns a number, and finds all that fit a name at once. */
export interface DenyNames {
  readonly numberOf: (name: Exclude<DenyName, '**'>) => number
  /** Takes a name as it is and in folded form. */
  readonly find: (name: string, plain: string) => readonly number[]
}

const NONE: readonly number[] = []
/** An expression tells soonest that a name fits none of a few patterns. */
const FEW = 64

/** Begins to collect names; what fits is found as soon as all are known. */
export function collectDenyNames(): DenyNames {
  const numbers = new Map<string, number>()
  const plain = seek('as written')
  const folded = seek('as written')
  const composedAlike = seek('alike')
  const foldedAlike = seek('alike')
  return {
    numberOf(name) {
      const key = JSON.stringify(name)
      const known = numbers.get(key)
      if (known !== undefined) return known
      const number = numbers.size
      numbers.set(key, number)
      if ('plain' in name) plain.add(name.plain, number)
      else {
        const pattern = foldPattern(name.glob)
        if ('text' in pattern) folded.add(Array.from(pattern.text, asLetter), number)
        else if ('folded' in pattern) folded.add(pattern.folded, number)
        else {
          composedAlike.add(pattern.composedAlike, number)
          foldedAlike.add(pattern.foldedAlike, number)
        }
      }
      return number
    },
    find(name, plainName) {
      const fitting = plain.find(plainName)
      if (folded.isEmpty() && foldedAlike.isEmpty()) return fitting
      const forms = formsOf(name)
      const others = [
        folded.find(forms.folded),
        composedAlike.find(forms.composed),
        foldedAlike.find(forms.folded),
      ].filter(({ length }) => length > 0)
      return others.length === 0 ? fitting : [fitting, ...others].flat()
    },
  }
}

/** Finds names without wildcards by looking them up, and all others at once. */
function seek(how: 'as written' | 'alike') {
  const exact = new Map<string, number[]>()
  const wild: { readonly tokens: readonly Token[]; readonly number: number }[] = []
  const patterns = once(() => wild.map(({ tokens }) => tokens))
  const mayFit = once((): ((text: string) => boolean) => {
    if (how === 'alike' || wild.length > FEW || !patterns().every(isStarredAtEnds)) return () => true
    const expression = expressionOf(patterns())
    return (text) => expression.test(text)
  })
  // Few names need it, so its code is loaded with the first of them.
  const machine = once(() => compileNames(patterns(), how === 'alike' ? foldedShape : asWritten))
  return {
    isEmpty: () => exact.size === 0 && wild.length === 0,
    add(tokens: readonly Token[], number: number): void {
      if (how === 'alike' || tokens.some(({ kind }) => kind !== 'character'))
        return void wild.push({ tokens, number })
      const text = tokens.map((token) => (token.kind === 'character' ? token.character : '')).join('')
      const same = exact.get(text)
      if (same === undefined) exact.set(text, [number])
      else same.push(number)
    },
    find(text: string): readonly number[] {
      const own = exact.get(text) ?? NONE
      if (wild.length === 0) return own
      const fitting = mayFit()(text) ? machine()(text) : NONE
      return fitting.length === 0 ? own : [...own, ...fitting.flatMap((at) => wild[at]?.number ?? [])]
    },
  }
}

/** Whether an expression for a pattern has nothing to try in several lengths. */
function isStarredAtEnds(tokens: readonly Token[]): boolean {
  return tokens.every(({ kind }, at) => kind !== 'star' || at === 0 || at === tokens.length - 1)
}

/** The expression for names that fit one of some patterns, which have no wildcards but stars at their ends. */
function expressionOf(patterns: readonly (readonly Token[])[]): RegExp {
  const sources = patterns.map((tokens) => `^${tokens.map(sourceOf).join('')}$`)
  return new RegExp(sources.join('|').replaceAll(/\^\[\^\]\*|\[\^\]\*\$/g, ''), 'u')
}

function sourceOf(token: Token): string {
  if (token.kind === 'star') return '[^]*'
  const character = token.kind === 'character' ? token.character : ''
  return character.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

function asLetter(character: string): Token {
  return { kind: 'character', character }
}
