import { joinRel, partsOf } from '../../host/root/rel-path.ts'
import type { Root } from '../../host/root/root.ts'
import { foldName } from './deny-rule.ts'

const ASCII = /^[\0-\x7f]*$/

/**
 * The paths by which a folder lists what a path names in another spelling, for each name of it that is not ASCII: a file
 * system may fold more than we know. Null if something is there that no folder lists. Links are not followed.
 */
export function listedPaths(root: Root, rel: string): readonly string[] | null {
  if (ASCII.test(rel)) return NONE
  const parts = partsOf(rel)
  const found: string[] = []
  let folder = ''
  for (const [index, name] of parts.entries()) {
    const path = joinRel(folder, name)
    const stat = ASCII.test(name) ? null : root.stat(path)
    if (stat !== null) {
      const names = listedAs(root, folder, name, stat)
      if (names === null) return null
      const rest = parts.slice(index + 1)
      found.push(...names.map((one) => [...partsOf(folder), one, ...rest].join('/')))
    }
    if (index < parts.length - 1 && (stat ?? root.stat(path))?.kind !== 'dir') break
    folder = path
  }
  return found
}

const NONE: readonly string[] = []

/** The other names by which a folder lists an entry; null if there is none at all. */
function listedAs(
  root: Root,
  folder: string,
  name: string,
  { dev, ino }: Pick<NonNullable<ReturnType<Root['stat']>>, 'dev' | 'ino'>,
): readonly string[] | null {
  const listed = root.list(folder).map(({ exactName }) => exactName)
  if (listed.includes(name)) return NONE
  const folded = foldName(name)
  const alike = listed.filter((one) => foldName(one) === folded)
  if (alike.length > 0) return alike
  const same = listed.filter((one) => {
    const stat = root.stat(joinRel(folder, one))
    return stat !== null && stat.dev === dev && stat.ino === ino
  })
  return same.length === 0 ? null : same
}
