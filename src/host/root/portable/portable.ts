import type { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { failure } from '../../../core/error.ts'
import { platform } from '../../system/platform.ts'
import { belowRoot, resolveLinks } from '../resolve-links.ts'
import { systemName } from '../exact-name.ts'
import { entryKind, fileStat, mayChange } from '../file-stat.ts'
import type { LinkView, NameStat } from '../resolve-links.ts'
import { errnoOf } from '../../fs/errno.ts'
import { explainingChanges } from '../io-failure.ts'
import { CREATE_FLAGS, READ_FLAGS, takeFile, takeNewFile } from '../open-file.ts'
import { checkPlace, isSameFile, portablePlaceOf, readTarget, realPath } from './portable-place.ts'
import { readFolder } from '../read-folder.ts'
import { findObstacle, unlessGone } from '../obstacle.ts'
import { absoluteOf, folderOf, plainName, relativeTo } from '../rel-path.ts'
import type { FolderEntry, Resolved, Root } from '../root.ts'
import type { PortablePlace } from './portable-place.ts'
import { FolderWalk, walkFolders } from '../walk-folders.ts'
import type { FolderAccess } from '../walk-folders.ts'

const IF_THERE = { throwIfNoEntry: false } as const

/** Whether changes are made with checks before and after, or refused because a race could lead them outside. */
export type PortableWrites = 'checked' | 'refused'

/** The paths of one root, each checked before and after its use. */
class CheckedPaths {
  readonly #rootPath: string
  readonly #writes: PortableWrites
  /** Runs something on a path, and explains a system error. */
  readonly attempt: <T>(action: string, rel: string, run: () => T) => T
  readonly #view: LinkView
  #isClosed = false

  constructor(rootPath: string, writes: PortableWrites) {
    this.#rootPath = rootPath
    this.#writes = writes
    this.#view = {
      rootPath,
      statName: (folder, name) => this.#statName(folder, name),
      relativise: (absolute) => belowRoot(rootPath, absolute),
    }
    this.attempt = explainingChanges((path) => this.resolve(path))
  }

  close(): void {
    this.#isClosed = true
  }

  pathTo(rel: string): string {
    const rootPath = this.#rootPath
    if (this.#isClosed)
      throw failure('execution_failed', `The root ${rootPath} is closed.`, { path: rootPath })
    return absoluteOf(rootPath, rel)
  }

  /** The folder at a path, as it is now. */
  placeOf(rel: string): PortablePlace {
    return portablePlaceOf(this.pathTo(rel))
  }

  /** On file systems that ignore case, the real path has the true spelling of a name. */
  resolve(path: string, linkBudget?: number): Resolved {
    const resolved = resolveLinks(this.#view, path, linkBudget)
    if (!resolved.isInside || resolved.missing > 0) return resolved
    const real = realPath(this.pathTo(resolved.rel))
    const rel = relativeTo(this.#rootPath, real)
    return rel === null ? { isInside: false, target: real, links: resolved.links } : { ...resolved, rel }
  }

  /** Runs `use` on the last part, with a check of the folder above it before and after. */
  at<T>(action: string, rel: string, use: (path: string | Buffer) => T): T {
    return this.attempt(action, rel, () => {
      plainName(rel)
      const place = this.placeOf(folderOf(rel))
      const result = use(systemName(this.pathTo(rel)))
      checkPlace(place)
      return result
    })
  }

  /** The same for a change, which may be refused altogether. */
  change<T>(action: string, rel: string, use: (path: string | Buffer) => T): T {
    if (this.#writes === 'checked') return this.at(action, rel, use)
    const message = `Cannot ${action} ${rel}: changes on this system are not safe from races.`
    throw failure('execution_failed', message, { path: rel }, [
      'Use Linux for changes, or accept checked writes.',
    ])
  }

  #statName(folder: string, name: string): NameStat {
    this.placeOf(folder)
    const path = systemName(absoluteOf(this.pathTo(folder), name))
    const stats = fs.lstatSync(path, IF_THERE)
    if (stats === undefined) return { kind: 'missing' }
    const kind = entryKind(stats)
    return kind === 'symlink' ? { kind, target: readTarget(path) } : { kind }
  }
}

/**
 * A root for systems where folders cannot be held open: macOS, Windows and others. Every path is checked before use, and
 * an opened file is compared with what the path names afterwards, before a byte of it is returned. That stops permanent
 * links and nearly all temporary ones; a process that swaps a folder and a link at the right moments, several times in a
 * row, can still get a name or a file through. Changes cannot be compared before they happen, so they are refused unless
 * the caller accepts that.
 *
 * This has been run on Linux only, by the tests that the Linux root passes too, and never on macOS or Windows. On Windows
 * links are not followed at all, and syncing a folder does nothing.
 */
export function openPortableRoot(rootPath: string, writes: PortableWrites): Root {
  const paths = new CheckedPaths(rootPath, writes)
  paths.attempt('open', '', () => portablePlaceOf(rootPath))
  return {
    path: rootPath,
    isRaceFree: false,
    resolve: (path, linkBudget) => paths.resolve(path, linkBudget),
    stat: (rel) =>
      paths.attempt('inspect', rel, () => {
        if (rel === '') return fileStat(fs.lstatSync(paths.pathTo(rel)))
        plainName(rel)
        try {
          const place = paths.placeOf(folderOf(rel))
          const stats = fs.lstatSync(systemName(paths.pathTo(rel)), IF_THERE)
          checkPlace(place)
          return stats === undefined ? null : fileStat(stats)
        } catch (error) {
          if (errnoOf(error) === 'ENOENT') return null
          throw error
        }
      }),
    openFile: (rel) =>
      paths.at('open', rel, (path) => {
        const fd = fs.openSync(path, READ_FLAGS)
        return verify(fd, path, takeFile(fd, rel))
      }),
    list: (rel) =>
      paths.attempt('list', rel, (): readonly FolderEntry[] => {
        const place = paths.placeOf(rel)
        const entries = readFolder(systemName(place.path))
        checkPlace(place)
        return entries
      }),
    walk: (rel, visit) =>
      walkFolders(
        places,
        paths.attempt('list', rel, () => paths.placeOf(rel)),
        rel,
        visit,
      ),
    startWalk: (rel, order) =>
      new FolderWalk(
        places,
        paths.attempt('list', rel, () => paths.placeOf(rel)),
        rel,
        order,
      ),
    lendFolder: (rel, use) => use(paths.attempt('open', rel, () => paths.placeOf(rel)).path),
    isWritable: (rel) =>
      paths.attempt(
        'inspect',
        rel,
        () => mayChange(systemName(paths.placeOf(rel).path)) && writes === 'checked',
      ),
    findObstacle: (rel) =>
      paths.attempt('inspect', rel, () =>
        unlessGone(() => {
          plainName(rel)
          const place = paths.placeOf(folderOf(rel))
          const path = systemName(paths.pathTo(rel))
          const file = fileStat(fs.lstatSync(path))
          const found = findObstacle(path, file, () => fileStat(fs.lstatSync(systemName(place.path))))
          checkPlace(place)
          return found
        }),
      ),
    findMounted: () => new Set(),
    createExclusive: (rel, mode) =>
      paths.change('create', rel, (path) => {
        const fd = fs.openSync(path, CREATE_FLAGS, mode)
        return verify(fd, path, takeNewFile(fd, rel))
      }),
    rename: (from, to) =>
      paths.change('rename', from, (source) =>
        paths.change('rename to', to, (target) => fs.renameSync(source, target)),
      ),
    placeFile: (from, to) =>
      paths.change('rename', from, (source) =>
        paths.change('rename to', to, (target) => fs.renameSync(source, target)),
      ),
    placeExactly: () => 'not possible',
    unlink: (rel) => paths.change('remove', rel, (path) => fs.unlinkSync(path)),
    mkdir: (rel, mode) => paths.change('create', rel, (path) => fs.mkdirSync(path, { mode })),
    rmdir: (rel) => paths.change('remove', rel, (path) => fs.rmdirSync(path)),
    syncDir: (rel) => {
      if (platform === 'windows') return
      paths.attempt('sync', rel, () => {
        const fd = fs.openSync(systemName(paths.placeOf(rel).path), fs.constants.O_RDONLY)
        try {
          fs.fsyncSync(fd)
        } finally {
          fs.closeSync(fd)
        }
      })
    },
    close: () => paths.close(),
  }
}

/** The opened file must be the one that the path names now, or it may be any file of the system. */
function verify<T extends { readonly close: () => void }>(fd: number, path: string | Buffer, taken: T): T {
  if (isSameFile(fd, path)) return taken
  taken.close()
  throw Object.assign(new Error('replaced while it was opened'), { code: 'ELOOP' })
}

/** Nothing is held open: each folder is checked again after use, and one that changed counts as unreadable. */
const places: FolderAccess<PortablePlace> = {
  enter: (parent, name) => portablePlaceOf(absoluteOf(parent.path, name)),
  leave: () => {},
  read: (place) => {
    const entries = readFolder(systemName(place.path))
    checkPlace(place)
    return entries
  },
  stat: (place, name) => {
    const stats = fs.lstatSync(systemName(absoluteOf(place.path, name)))
    checkPlace(place)
    return fileStat(stats)
  },
}
