import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Lets its owner use a path and everything below it; returns what was closed, with the mode it had, outermost first. */
export function openAll(path: string): readonly (readonly [path: string, mode: number])[] {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return []
  const [mode, wanted] = [stat.mode & 0o7777, stat.isDirectory() ? 0o700 : 0o400]
  const isShut = (mode & wanted) !== wanted
  if (isShut) chmodSync(path, mode | wanted)
  const names = stat.isDirectory() ? readdirSync(path) : []
  return [...(isShut ? [[path, mode] as const] : []), ...names.flatMap((name) => openAll(join(path, name)))]
}
