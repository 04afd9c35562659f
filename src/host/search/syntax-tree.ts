import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Node, Parser } from 'web-tree-sitter'

/** A position where a text does not match its grammar; `missing` names the expected token, if that is clear. */
export interface TreeFault {
  readonly offset: number
  readonly missing: string | null
}

/** Parses a text with a grammar; null if the grammar is not available or parsing takes too long. */
export type TreeParser = (grammar: string, text: string) => Promise<readonly TreeFault[] | null>

/** A text with many errors can take very long, and it blocks this thread. */
const LONGEST_PARSE_MS = 200
/** More of them would add nothing useful. */
const MAX_FAULTS = 20

/** A loaded grammar stays in memory as long as the process lives, so all parsers share it. */
const parsers = new Map<string, Promise<Parser | null>>()

/** Creates a parser that loads a grammar on first use. */
export function createTreeParser(): TreeParser {
  // An edit is checked twice: for its preview and when it is made.
  let last: { grammar: string; text: string; faults: readonly TreeFault[] | null } | null = null
  return async (grammar, text) => {
    if (last?.grammar === grammar && last.text === text) return last.faults
    const parser = await loadGrammar(grammar)
    const faults = parser === null ? null : findFaults(parser, text)
    last = { grammar, text, faults }
    return faults
  }
}

/** The parser of a grammar, loaded on first use; null if there is none. */
export function loadGrammar(grammar: string): Promise<Parser | null> {
  const known = parsers.get(grammar)
  if (known !== undefined) return known
  const loading = loadParser(grammar)
  parsers.set(grammar, loading)
  return loading
}

/**
 * V8 compiles what runs often once more, beside the program. For a grammar, whose few functions are huge, that takes longer
 * than the parsing of most sessions, a fifth of the memory of a short one, and parsing is hardly quicker for it; so it comes
 * a hundred times later than usual. What others load afterwards is as usual.
 */
const LATE_BUDGET = 1_300_000_000
const USUAL_BUDGET = 13_000_000

async function loadParser(grammar: string): Promise<Parser | null> {
  setFlagsFromString(`--wasm-tiering-budget=${LATE_BUDGET}`)
  try {
    return await loadLanguage(grammar)
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`)
  }
}

async function loadLanguage(grammar: string): Promise<Parser | null> {
  try {
    const { Language, Parser } = await import('web-tree-sitter')
    await Parser.init()
    const { resolve } = createRequire(import.meta.filename)
    const parser = new Parser()
    parser.setLanguage(
      await Language.load(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)),
    )
    return parser
  } catch {
    return null
  }
}

function findFaults(parser: Parser, text: string): readonly TreeFault[] | null {
  const until = performance.now() + LONGEST_PARSE_MS
  try {
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until })
    if (tree === null) {
      parser.reset()
      return null
    }
    try {
      return collect(tree.rootNode)
    } finally {
      tree.delete()
    }
  } catch {
    return null
  }
}

function collect(root: Node): readonly TreeFault[] {
  const faults: TreeFault[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined && faults.length < MAX_FAULTS; node = open.pop()) {
    if (node.isMissing) faults.push({ offset: node.startIndex, missing: node.type })
    else if (node.isError) faults.push({ offset: node.startIndex, missing: null })
    else if (node.hasError) open.push(...node.children.toReversed())
  }
  return faults
}
