import type { DenyRule, NamePattern } from './deny-rule.ts'

/** Rules sorted so that a name which none of them means, as most, costs one look-up and one test. */
export interface DenyIndex {
  /** The rules that can match a path with this last part, folded. */
  readonly candidates: (last: string) => readonly DenyRule[]
}

/** Sorts rules by the names they can end in. */
export function indexDenies(rules: readonly DenyRule[]): DenyIndex {
  const exact = new Map<string, readonly DenyRule[]>()
  const open = rules.filter(({ last }) => last !== null && isOpen(last))
  const others = rules.filter(({ last }) => last === null)
  for (const { last } of rules) {
    if (last === null || isOpen(last)) continue
    exact.set(last.text, [...rules.filter((rule) => rule.last?.text === last.text), ...open, ...others])
  }
  const anyOpen = new RegExp(open.map(({ last }) => sourceOf(last)).join('|') || '(?!)', 'u')
  const openAndOthers = [...open, ...others]
  return { candidates: (last) => exact.get(last) ?? (anyOpen.test(last) ? openAndOthers : others) }
}

function isOpen(name: NamePattern): boolean {
  return name.isOpenBefore || name.isOpenBehind
}

function sourceOf(name: NamePattern | null): string {
  if (name === null) return ''
  const text = name.text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return `${name.isOpenBefore ? '' : '^'}${text}${name.isOpenBehind ? '' : '$'}`
}
