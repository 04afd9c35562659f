import type { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { lstatSync } from 'node:fs'
import { failure } from '../../../core/error.ts'
import { platform } from '../../system/platform.ts'
import { belowRoot, resolveLinks } from '../resolve-links.ts'
import { systemName } from '../exact-name.ts'
import { entryKind, fileStat, mayChange } from '../file-stat.ts'
import type { NameStat } from '../resolve-links.ts'
import { errnoOf } from '../../fs/errno.ts'
import { explainingChanges } from '../io-failure.ts'
import { CREATE_FLAGS, READ_FLAGS, takeFile, takeNewFile } from '../open-file.ts'
import { checkPlace, isSameFile, portablePlaceOf, readTarget, realPath } from './portable-place.ts'
import { readFolder } from '../read-folder.ts'
import { absoluteOf, folderOf, plainName, relativeTo } from '../rel-path.ts'
import type { FolderEntry, Resolved, Root, RootWalk, RootWalkEntry, WalkOrder } from '../root.ts'
import type { WalkStep } from '../../../core/powers.ts'
import type { PortablePlace } from './portable-place.ts'
import { FolderWalk, walkFolders } from '../walk-folders.ts'
import type { FolderAccess } from '../walk-folders.ts'

const IF_THERE = { throwIfNoEntry: false } as const

/** Whether changes go ahead with checks before and after, or are refused because a race could lead them outside. */
export type PortableWrites = 'checked' | 'refused'

/**
 * A root where folders cannot be held open: macOS, Windows and the rest. Every path is checked before use, and what
 * was opened is compared afterwards with what the path names then, before a byte of it is handed out. That stops
 * links which stay and nearly all that come and go; a process that swaps folder and link at the right moments,
 * several times in a row, can still get a name or a file through. Changes cannot be compared before they happen, so
 * they are refused unless the caller accepts that.
 *
 * This has been run on Linux only, by the tests that the Linux root passes too. On macOS and Windows it has never
 * been run. On Windows links are not followed at all, and making a folder durable does nothing.
 */
export function openPortableRoot(rootPath: string, writes: PortableWrites): Root {
  let isClosed = false
  const pathTo = (rel: string): string => {
    if (isClosed) throw failure('execution_failed', `The root ${rootPath} is closed.`, { path: rootPath })
    return absoluteOf(rootPath, rel)
  }

  const statName = (folder: string, name: string): NameStat => {
    portablePlaceOf(pathTo(folder))
    const path = systemName(absoluteOf(pathTo(folder), name))
    const stats = fs.lstatSync(path, IF_THERE)
    if (stats === undefined) return { kind: 'missing' }
    const kind = entryKind(stats)
    return kind === 'symlink' ? { kind, target: readTarget(path) } : { kind }
  }

  const view = { rootPath, statName, relativise: (absolute: string) => belowRoot(rootPath, absolute) }

  /** Where case does not count, the real path tells how a name is really spelled. */
  const resolve = (path: string, linkBudget?: number): Resolved => {
    const resolved = resolveLinks(view, path, linkBudget)
    if (!resolved.isInside || resolved.missing > 0) return resolved
    const real = realPath(pathTo(resolved.rel))
    const rel = relativeTo(rootPath, real)
    return rel === null ? { isInside: false, target: real, links: resolved.links } : { ...resolved, rel }
  }

  const attempt = explainingChanges(resolve)

  /** Runs `use` on the last part, between two looks at the folder above it. */
  const at = <T>(action: string, rel: string, use: (path: string | Buffer) => T): T =>
    attempt(action, rel, () => {
      plainName(rel)
      const place = portablePlaceOf(pathTo(folderOf(rel)))
      const result = use(systemName(pathTo(rel)))
      checkPlace(place)
      return result
    })

  const change = <T>(action: string, rel: string, use: (path: string | Buffer) => T): T => {
    if (writes === 'checked') return at(action, rel, use)
    const message = `Cannot ${action} ${rel}: this system gives no way to change files that is safe from races.`
    throw failure('execution_failed', message, { path: rel }, [
      'Use Linux for changes, or accept checked writes.',
    ])
  }

  attempt('open', '', () => portablePlaceOf(rootPath))
  return {
    path: rootPath,
    isRaceFree: false,
    resolve,
    stat: (rel) =>
      attempt('look at', rel, () => {
        if (rel === '') return fileStat(fs.lstatSync(pathTo(rel)))
        plainName(rel)
        try {
          const place = portablePlaceOf(pathTo(folderOf(rel)))
          const stats = fs.lstatSync(systemName(pathTo(rel)), IF_THERE)
          checkPlace(place)
          return stats === undefined ? null : fileStat(stats)
        } catch (error) {
          if (errnoOf(error) === 'ENOENT') return null
          throw error
        }
      }),
    openFile: (rel) =>
      at('open', rel, (path) => {
        const fd = fs.openSync(path, READ_FLAGS)
        return verify(fd, path, takeFile(fd, rel))
      }),
    list: (rel) =>
      attempt('list', rel, (): readonly FolderEntry[] => {
        const place = portablePlaceOf(pathTo(rel))
        const entries = readFolder(systemName(place.path))
        checkPlace(place)
        return entries
      }),
    walk: (rel, visit) =>
      walkPlaces(
        attempt('list', rel, () => portablePlaceOf(pathTo(rel))),
        rel,
        visit,
      ),
    startWalk: (rel, order) =>
      startPlaceWalk(
        attempt('list', rel, () => portablePlaceOf(pathTo(rel))),
        rel,
        order,
      ),
    lendFolder: (rel, use) => use(attempt('open', rel, () => portablePlaceOf(pathTo(rel))).path),
    isWritable: (rel) =>
      attempt(
        'look at',
        rel,
        () => mayChange(systemName(portablePlaceOf(pathTo(rel)).path)) && writes === 'checked',
      ),
    createExclusive: (rel, mode) =>
      change('create', rel, (path) => {
        const fd = fs.openSync(path, CREATE_FLAGS, mode)
        return verify(fd, path, takeNewFile(fd, rel))
      }),
    rename: (from, to) =>
      change('rename', from, (source) => change('rename to', to, (target) => fs.renameSync(source, target))),
    placeFile: (from, to) =>
      change('rename', from, (source) => change('rename to', to, (target) => fs.renameSync(source, target))),
    unlink: (rel) => change('remove', rel, (path) => fs.unlinkSync(path)),
    mkdir: (rel, mode) => change('create', rel, (path) => fs.mkdirSync(path, { mode })),
    rmdir: (rel) => change('remove', rel, (path) => fs.rmdirSync(path)),
    syncDir: (rel) => {
      if (platform === 'windows') return
      attempt('make durable', rel, () => {
        const fd = fs.openSync(systemName(portablePlaceOf(pathTo(rel)).path), fs.constants.O_RDONLY)
        try {
          fs.fsyncSync(fd)
        } finally {
          fs.closeSync(fd)
        }
      })
    },
    close: () => {
      isClosed = true
    },
  }
}

/** What was opened must be what the path names now, or it may have come from anywhere. */
function verify<T extends { readonly close: () => void }>(fd: number, path: string | Buffer, taken: T): T {
  if (isSameFile(fd, path)) return taken
  taken.close()
  throw Object.assign(new Error('replaced while it was opened'), { code: 'ELOOP' })
}

/** Nothing is held open: each folder is looked at again after it was used, and what changed counts as unreadable. */
const places: FolderAccess<PortablePlace> = {
  enter: (parent, name) => portablePlaceOf(absoluteOf(parent.path, name)),
  leave: () => {},
  read: (place) => {
    const entries = readFolder(systemName(place.path))
    checkPlace(place)
    return entries
  },
  stat: (place, name) => {
    const stats = lstatSync(systemName(absoluteOf(place.path, name)))
    checkPlace(place)
    return fileStat(stats)
  },
}

/** Visits everything below a folder, with the checks that paths allow. */
function walkPlaces(start: PortablePlace, rel: string, visit: (entry: RootWalkEntry) => WalkStep): void {
  walkFolders(places, start, rel, visit)
}

/** The same, led by the caller. */
function startPlaceWalk(start: PortablePlace, rel: string, order: WalkOrder): RootWalk {
  return new FolderWalk(places, start, rel, order)
}
