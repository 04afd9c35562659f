import type { Node, Tree, TreeCursor } from 'web-tree-sitter'
import type { AssignedValues, OutlineRequest, OutlinedNode } from '../../core/text-requests.ts'
import { loadGrammar } from './syntax-tree.ts'

/** A long text with many errors can take very long to parse, and it blocks this thread. */
const LONGEST_PARSE_MS = 500
const MAX_NAME_CHARS = 120

/** Finds the definitions in a text; null if the grammar is not available or parsing takes too long. */
export async function outlineText({
  grammar,
  text,
  opens,
  ends,
  passes,
  assigned,
}: OutlineRequest): Promise<readonly OutlinedNode[] | null> {
  const parser = await loadGrammar(grammar)
  if (parser === null) return null
  const until = performance.now() + LONGEST_PARSE_MS
  try {
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until })
    if (tree === null) {
      parser.reset()
      return null
    }
    try {
      const wanted = { opens: new Set(opens), ends: new Set(ends), passes: new Set(passes) }
      return collect(tree, { ...wanted, assigned: assigned ?? null })
    } finally {
      // It lies in memory that nothing else frees.
      tree.delete()
    }
  } catch {
    return null
  }
}

interface Wanted {
  readonly opens: ReadonlySet<string>
  readonly ends: ReadonlySet<string>
  readonly passes: ReadonlySet<string>
  readonly assigned: AssignedValues | null
}

/** Goes through the tree in order, without recursion: a deep tree must not overflow the stack. */
function collect(tree: Tree, wanted: Wanted): readonly OutlinedNode[] {
  const cursor = tree.walk()
  try {
    return collectFrom(cursor, wanted)
  } finally {
    cursor.delete()
  }
}

function collectFrom(cursor: TreeCursor, { opens, ends, passes, assigned }: Wanted): readonly OutlinedNode[] {
  const found: OutlinedNode[] = []
  /** How many of the nodes above each level are definitions. */
  const depths = [0]
  for (;;) {
    const type = cursor.nodeType
    const depth = depths.at(-1) ?? 0
    const isOpen = opens.has(type)
    const isNamed = (isOpen || ends.has(type)) && cursor.nodeIsNamed
    const given = assigned !== null && ASSIGNING.has(type) ? readAssigned(cursor.currentNode, assigned) : null
    const name = given?.name ?? (isNamed ? nameOf(cursor.currentNode) : null)
    if (name !== null) found.push(describeNode(cursor.currentNode, name, depth, given?.type))
    const mayEnter = !ends.has(type) && !passes.has(type) && given?.isEnd !== true
    if (mayEnter && cursor.gotoFirstChild()) {
      depths.push(name === null ? depth : depth + 1)
      continue
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return found
      depths.pop()
    }
  }
}

function describeNode(node: Node, name: string, depth: number, type = node.type): OutlinedNode {
  return {
    type,
    name: name.slice(0, MAX_NAME_CHARS).toWellFormed(),
    startLine: node.startPosition.row + 1,
    endLine: node.endPosition.row + 1,
    depth,
  }
}

const ASSIGNING: ReadonlySet<string> = new Set(['assignment_expression', 'pair'])

/** What an assignment or a pair defines; null if it defines nothing. */
interface Assigned {
  readonly type: string
  readonly name: string
  readonly isEnd: boolean
}

/** A definition like `a.b = function () {}`; of `a.b = a.c = …` all the names count. */
function readAssigned(node: Node, { opens, opensFor, ends }: AssignedValues): Assigned | null {
  if (node.type === 'pair') {
    const key = node.childForFieldName('key')
    const type = node.childForFieldName('value')?.type ?? ''
    const name = key === null ? null : firstLine(key.text.replace(/^(['"])(.*)\1$/s, '$2'))
    return name !== null && ends.includes(type) ? { type, name, isEnd: true } : null
  }
  const names: string[] = []
  let value: Node | null = node
  for (; value?.type === 'assignment_expression'; value = value.childForFieldName('right')) {
    const left = value.childForFieldName('left')
    if (left?.type === 'member_expression' || left?.text === 'exports') names.push(left.text)
  }
  const name = firstLine(names.join(' = '))
  const type = value?.type ?? ''
  if (name === null) return null
  const isEnd = ends.includes(type)
  const isHeld = opensFor.types.includes(type) && names.some((one) => opensFor.names.test(one))
  return isEnd || isHeld || opens.includes(type) ? { type, name, isEnd } : null
}

/** The name of a definition; languages like C hide it in declarators. */
function nameOf(node: Node): string | null {
  const own = node.childForFieldName('name')
  if (own !== null) return firstLine(own.text)
  let inner = node.childForFieldName('declarator')
  for (let next = inner; next !== null; next = next.childForFieldName('declarator')) inner = next
  if (inner !== null) return firstLine(inner.text)
  const type = node.childForFieldName('type')
  const trait = node.childForFieldName('trait')
  if (type === null) return null
  return firstLine(trait === null ? type.text : `${trait.text} for ${type.text}`)
}

function firstLine(text: string): string | null {
  const line = (text.split('\n')[0] ?? '').trim()
  return line === '' ? null : line
}
