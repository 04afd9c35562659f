import type { JsonObject } from '../core/json/value.ts'
import { DIALECT } from '../schema/schema.ts'
import { describeTighter } from './explain-key.ts'
import { KEY_NAMES, SPECS } from './keys.ts'
import type { Key } from './keys.ts'

type Tree = Map<string, Tree | JsonObject>

/** The JSON Schema of a configuration file, for editors. */
export function settingsJsonSchema(): JsonObject {
  const root: Tree = new Map()
  for (const key of KEY_NAMES) {
    const parts = key.split('.')
    const leaf = parts.pop() ?? key
    let tree = root
    for (const part of parts) {
      const inner = tree.get(part) ?? new Map()
      tree.set(part, inner)
      if (inner instanceof Map) tree = inner
    }
    tree.set(leaf, leafSchema(key))
  }
  return { $schema: DIALECT, title: 'Tongs configuration', ...treeSchema(root, []) }
}

function treeSchema(tree: Tree, path: readonly string[]): JsonObject {
  const properties = [...tree].map(([name, inner]) => [
    name,
    inner instanceof Map ? treeSchema(inner, [...path, name]) : inner,
  ])
  return {
    type: 'object',
    description: path.length === 0 ? 'A configuration file.' : `The section ${path.join('.')}.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

function leafSchema(key: Key): JsonObject {
  const { kind, description, unit } = SPECS[key]
  const facts = [unit === null ? [] : [`In ${unit}.`], `Tighter: ${describeTighter(key)}.`].flat()
  return { ...kind.schema(), description: [description, ...facts].join(' ') }
}
