import { parseIgnoreLine } from './ignore-pattern.ts'
import type { IgnoreRule } from './ignore-pattern.ts'

/** The rules of one ignore file. */
export interface IgnoreRules {
  /** Whether the last rule that matches ignores an entry; null if none matches. The path starts at the rules' folder. */
  readonly judge: (name: string, path: string, isFolder: boolean) => boolean | null
}

interface Placed {
  readonly rule: IgnoreRule
  readonly at: number
}

/** Reads an ignore file, or null if it has no rules. */
export function parseIgnoreRules(text: string): IgnoreRules | null {
  const lines = (text.startsWith('\uFEFF') ? text.slice(1) : text).split('\n')
  const rules = lines.flatMap((line) => parseIgnoreLine(line) ?? [])
  return rules.length === 0 ? null : indexRules(rules)
}

/** Most rules are a plain name: those are looked up, and only the others are tried one by one, the last one first. */
function indexRules(rules: readonly IgnoreRule[]): IgnoreRules {
  const placed = rules.map((rule, at): Placed => ({ rule, at })).toReversed()
  const byName = Map.groupBy(placed, ({ rule }) => rule.name)
  const others = byName.get(null) ?? []
  return {
    judge(name, path, isFolder) {
      const applies = ({ rule }: Placed): boolean => isFolder || !rule.isForFolders
      const plain = byName.get(name)?.find(applies)
      for (const one of others) {
        if (plain !== undefined && one.at < plain.at) break
        if (applies(one) && one.rule.matches(name, path)) return !one.rule.isNegated
      }
      return plain === undefined ? null : !plain.rule.isNegated
    },
  }
}
