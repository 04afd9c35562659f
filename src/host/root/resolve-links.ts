import { realpathSync } from 'node:fs'
import { failure } from '../../core/error.ts'
import type { EntryKind } from '../../core/powers.ts'
import { errnoOf } from '../fs/errno.ts'
import { ioFailure } from './io-failure.ts'
import { absoluteOf, folderOf, joinRel, nameOf, relativeTo, showPath } from './rel-path.ts'
import type { Resolved } from './root.ts'

/** The number of links that Linux itself follows in one path. */
export const MAX_LINKS = 40
const HAS_ODD_PART = /(?:^|\/)\.{0,2}(?:\/|$)/

/** What one name in a folder is. */
export type NameStat =
  | { readonly kind: Exclude<EntryKind, 'symlink'> | 'missing' }
  | { readonly kind: 'symlink'; readonly target: string }

/** How names are read while links are followed: one at a time, in a folder whose path has no links. */
export interface LinkView {
  readonly rootPath: string
  readonly statName: (folder: string, name: string) => NameStat
  /** The part below the root, with any `..` in it, or null if the path does not pass through the root. */
  readonly relativise: (absolute: string) => string | null
}

/** Resolves a path, relative or absolute: in one step if its folder has no links, else part by part. */
export function resolveLinks(view: LinkView, path: string, linkBudget = MAX_LINKS): Resolved {
  try {
    const rel = path.startsWith('/') ? view.relativise(path) : path
    if (rel === null) return { isInside: false, target: collapse(path), links: 0 }
    return resolveAtOnce(view, rel) ?? followLinks(view, rel, linkBudget)
  } catch (error) {
    throw ioFailure(error, 'inspect', path)
  }
}

/** Whether a part of a path is empty, `.` or `..`, so that its text does not say where it leads. */
export function hasOddPart(path: string): boolean {
  return HAS_ODD_PART.test(path)
}

/** Null if one step is not enough: the folder does not exist by that path, or the last part is a link. */
function resolveAtOnce(view: LinkView, rel: string): Resolved | null {
  if (rel === '') return { isInside: true, rel, kind: 'dir', missing: 0, links: 0 }
  if (hasOddPart(rel)) return null
  try {
    const { kind } = view.statName(folderOf(rel), nameOf(rel))
    if (kind === 'symlink') return null
    return { isInside: true, rel, kind, missing: kind === 'missing' ? 1 : 0, links: 0 }
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'ELOOP') return null
    throw error
  }
}

/**
 * Follows every link of a path itself, so that the kernel never does. A link is resolved relative to its folder; one that
 * comes back to the root by an absolute path is inside, all others that leave the root are outside. Parts that do not
 * exist stay as they are: they are the names that would be created.
 */
function followLinks(view: LinkView, path: string, linkBudget: number): Resolved {
  const ahead = path.split('/').toReversed()
  let folder = ''
  let kind: EntryKind = 'dir'
  let links = 0

  /** Continues from an absolute path if it passes through the root, else returns where it leads. */
  const jump = (absolute: string): string | null => {
    const rel = view.relativise(absolute)
    if (rel === null) return collapse(absolute)
    folder = ''
    kind = 'dir'
    ahead.length = 0
    ahead.push(...rel.split('/').toReversed())
    return null
  }

  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '' || name === '.') continue
    if (kind !== 'dir') throw ioFailure(notFolder(), 'follow', path)
    if (name === '..' && folder !== '') {
      folder = folderOf(folder)
    } else if (name === '..') {
      const target = jump(rest(parentOf(view.rootPath), ahead))
      if (target !== null) return { isInside: false, target, links }
    } else {
      const seen = view.statName(folder, name)
      if (seen.kind === 'missing')
        return resolveMissing(view, path, { folder, parts: [name, ...ahead.toReversed()], links })
      if (seen.kind !== 'symlink') {
        folder = joinRel(folder, name)
        kind = seen.kind
        continue
      }
      if (++links > linkBudget) throw tooManyLinks(path)
      if (seen.target.startsWith('/')) {
        const target = jump(rest(seen.target, ahead))
        if (target !== null) return { isInside: false, target, links }
      } else {
        ahead.push(...seen.target.split('/').toReversed())
      }
    }
  }
  return { isInside: true, rel: folder, kind, missing: 0, links }
}

/** A name that does not exist: the folder it is missing from, that name and the rest of the path. */
interface MissingPart {
  readonly folder: string
  readonly parts: readonly string[]
  /** The number of links followed so far. */
  readonly links: number
}

/** Going up from a name that does not exist is an error, or an attempt to leave the root if it leads out. */
function resolveMissing(view: LinkView, path: string, { folder, parts, links }: MissingPart): Resolved {
  const named = parts.filter((part) => part !== '' && part !== '.')
  const rel = joinRel(folder, named.join('/'))
  if (!named.includes('..')) return { isInside: true, rel, kind: 'missing', missing: named.length, links }
  const target = collapse(absoluteOf(view.rootPath, rel))
  if (view.relativise(target) === null) return { isInside: false, target, links }
  throw ioFailure(Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'follow', path)
}

function rest(start: string, ahead: readonly string[]): string {
  return [start, ...ahead.toReversed()].join('/')
}

function parentOf(absolute: string): string {
  const slash = absolute.lastIndexOf('/')
  return slash <= 0 ? '/' : absolute.slice(0, slash)
}

/** Removes `.`, `..` and doubled slashes from an absolute path by its text alone. */
export function collapse(absolute: string): string {
  const parts: string[] = []
  for (const part of absolute.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function notFolder(): Error {
  return Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
}

function tooManyLinks(path: string): Error {
  const where = showPath(path)
  const message = `Cannot follow ${where}: its links go in a circle, or there are more than ${MAX_LINKS}.`
  return failure('execution_failed', message, { path: where, errno: 'ELOOP' }, [
    'Name the real file, or repair the link.',
  ])
}

/** Links in these folders depend on the reading process and change constantly, so they never name the root. */
const MAGIC = new Set(['proc', 'dev', 'sys'])

/**
 * The part of an absolute path below the root: by its text, or because the beginning of the path is an alias that really
 * leads into the root. The rest is not resolved here; the caller goes down from the open root.
 */
export function belowRoot(rootPath: string, absolute: string): string | null {
  const direct = relativeTo(rootPath, absolute)
  if (direct !== null) return direct
  const parts = absolute.split('/').filter((part) => part !== '' && part !== '.')
  if (MAGIC.has(parts[0] ?? '')) return null
  for (let used = 1; used <= parts.length; used++) {
    const real = realPath(`/${parts.slice(0, used).join('/')}`)
    if (real === null) return null
    const rel = relativeTo(rootPath, real)
    if (rel !== null) return joinRel(rel, parts.slice(used).join('/'))
  }
  return null
}

function realPath(absolute: string): string | null {
  try {
    return realpathSync.native(absolute)
  } catch {
    return null
  }
}
