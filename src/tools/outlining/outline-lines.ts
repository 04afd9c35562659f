import type { CodeSymbol } from './code-symbol.ts'
import { extensionOf } from './grammars.ts'

/** A language whose definitions begin a line, so that they are found without a grammar. */
interface LineRule {
  readonly pattern: RegExp
  readonly kind: (match: RegExpExecArray) => string
  readonly name: (match: RegExpExecArray) => string
  readonly depth: (match: RegExpExecArray) => number
}

const RULES: Readonly<Record<string, LineRule>> = {
  el: {
    pattern: /^\((?:cl-)?(def[\w-]*|ert-deftest)\s+\(?'?([^\s()]+)/,
    kind: ([, word = '']) => word,
    name: ([, , name = '']) => name,
    depth: () => 0,
  },
  md: {
    pattern: /^(#{1,6})\s+(\S.*)/,
    kind: () => 'heading',
    name: ([, , name = '']) => name.trimEnd(),
    depth: ([, marks = '#']) => marks.length - 1,
  },
}

/** Whether a file is outlined by its lines. */
export function hasLineRule(path: string): boolean {
  return Object.hasOwn(RULES, extensionOf(path))
}

const FENCE = /^\s*(?:```|~~~)/

/** The symbols of a file, found line by line; each reaches to the one that follows it at its depth or above. */
export function outlineLines(path: string, text: string): readonly CodeSymbol[] {
  const extension = extensionOf(path)
  const rule = Object.hasOwn(RULES, extension) ? RULES[extension] : undefined
  if (rule === undefined) return []
  const lines = text.split('\n')
  const last = text.endsWith('\n') ? lines.length - 1 : lines.length
  const found: Found[] = []
  const open: Found[] = []
  const endFrom = (depth: number, line: number): void => {
    for (let top = open.at(-1); top !== undefined && top.depth >= depth; top = open.at(-1)) {
      top.end_line = line
      open.pop()
    }
  }
  let isFenced = false
  for (const [index, line] of lines.entries()) {
    if (extension === 'md' && FENCE.test(line)) isFenced = !isFenced
    const match = isFenced ? null : rule.pattern.exec(line)
    if (match === null) continue
    const depth = rule.depth(match)
    endFrom(depth, index)
    const symbol = { name: rule.name(match), kind: rule.kind(match), line: index + 1, end_line: last, depth }
    found.push(symbol)
    open.push(symbol)
  }
  return found
}

/** A symbol whose end becomes known when the next one is met. */
interface Found extends Omit<CodeSymbol, 'end_line'> {
  end_line: number
}
