import { foldText } from '../../../core/text/fold-text.ts'
import type { PathKind } from '../../confine/inspect-path.ts'
import { readFolderNames } from '../../fs/folders.ts'
import { onceEach } from './effort.ts'
import type { Effort } from './effort.ts'

/** The names in a folder, folded; null if they cannot be read. */
interface Names {
  readonly folded: ReadonlySet<string> | null
}

const listOnce = onceEach<Names>()
/** What finding a name in a set costs, measured in characters that are looked up. */
const EACH_NAME = 2
const EACH_LISTED = 16

/**
 * The kind of a path below a folder in which much is looked for that is not there: the names in the folder are read once
 * for a judgement. Without a folder it is looked at as any other.
 */
export function kindBelow(folder: string | undefined, path: string, effort: Effort): PathKind {
  if (folder === undefined || !path.startsWith(`${folder}/`)) return effort.kindOf(path)
  return mayBeIn(folder, firstName(path.slice(folder.length)), effort) ? effort.kindOf(path) : 'missing'
}

/** The first name in the rest of a path; empty if there is none. */
export function firstName(rest: string): string {
  return /^\/*([^/]*)/.exec(rest)?.[1] ?? ''
}

/**
 * Whether there may be something of a name in a folder. Names that a file system may find otherwise than by the list of
 * its names are always possible.
 */
export function mayBeIn(folder: string, name: string, effort: Effort): boolean {
  effort.spend(EACH_NAME)
  if (!PLAIN_NAME.test(name)) return true
  const { folded } = listOnce(effort, folder, () => {
    const names = readFolderNames(folder)
    effort.spend(EACH_LISTED * (names?.length ?? 1))
    return { folded: names === null ? null : new Set(names.map((one) => foldName(one.name))) }
  })
  return folded === null || folded.has(foldName(name))
}

/** Without signs of a hidden or shortened name, and without an end that some file systems pass over. */
const PLAIN_NAME = /^[^.~\u0080-\uffff](?:[^~\u0080-\uffff]*[^.~ \u0080-\uffff])?$/

/** At least the names that a file system could take for the same one have the same form. */
function foldName(name: string): string {
  return foldText(name.normalize('NFKC'))
}
