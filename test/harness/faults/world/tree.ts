import * as fs from 'node:fs'
import { join } from 'node:path'

/** Everything in a folder: names, kinds, modes and contents. */
export type Tree = ReadonlyMap<string, string>

/** Reads a whole folder; two trees are equal if nothing at all is different. */
export function readTree(folder: string): Tree {
  const tree = new Map<string, string>()
  visit(folder, '', tree)
  return tree
}

function visit(folder: string, rel: string, tree: Map<string, string>): void {
  for (const name of fs.readdirSync(join(folder, rel)).toSorted()) {
    const path = rel === '' ? name : `${rel}/${name}`
    const absolute = join(folder, path)
    const stat = fs.lstatSync(absolute)
    const mode = (stat.mode & 0o7777).toString(8)
    if (stat.isDirectory()) {
      tree.set(path, `folder ${mode}`)
      visit(folder, path, tree)
    } else if (stat.isFile()) {
      tree.set(path, `file ${mode} ${JSON.stringify(fs.readFileSync(absolute, 'latin1'))}`)
    } else {
      tree.set(path, stat.isSymbolicLink() ? `link to ${fs.readlinkSync(absolute)}` : 'something else')
    }
  }
}

/** How a tree differs from what it should be, one line for each name. */
export function compareTrees(expected: Tree, found: Tree): readonly string[] {
  const names = [...new Set([...expected.keys(), ...found.keys()])].toSorted()
  return names
    .filter((name) => expected.get(name) !== found.get(name))
    .map((name) => `${name}: expected ${show(expected.get(name))}, found ${show(found.get(name))}`)
}

function show(entry: string | undefined): string {
  if (entry === undefined) return 'nothing'
  return entry.length > 80 ? `${entry.slice(0, 80)}… (${entry.length})` : entry
}
