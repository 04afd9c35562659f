import type { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { belowRoot, resolveLinks } from '../resolve-links.ts'
import { exactName, systemName } from '../exact-name.ts'
import { entryKind, fileStat, mayChange } from '../file-stat.ts'
import type { NameStat } from '../resolve-links.ts'
import { errnoOf } from '../../fs/errno.ts'
import { allMountPointsBelow } from '../../layer/mounts.ts'
import { nativeSource } from '../../native/load-native.ts'
import type { NativeSource } from '../../native/load-native.ts'
import { explainingChanges } from '../io-failure.ts'
import { isMountPoint, openAgain, openBelow } from './linux-folder.ts'
import { CREATE_FLAGS, READ_FLAGS, takeFile, takeNewFile } from '../open-file.ts'
import { pinFolders } from './pinned-folders.ts'
import type { Pin } from './linux-folder.ts'
import { readFolder } from '../read-folder.ts'
import { nativePaths, openNatively } from './native-paths.ts'
import { findObstacle, FIXED, MOUNTED, unlessGone } from '../obstacle.ts'
import { folderOf, plainName, relativeTo } from '../rel-path.ts'
import type { FileStat, Resolved, Root } from '../root.ts'
import { FolderWalk, walkFolders } from '../walk-folders.ts'
import type { FolderAccess } from '../walk-folders.ts'

const { O_RDONLY, O_DIRECTORY } = fs.constants
const IF_THERE = { throwIfNoEntry: false } as const

/**
 * A root on Linux: all access goes through open folders, so no name is trusted to lead where it led before. Native code
 * only shortens the way where all is well: whatever it does not do is done, judged and explained without it.
 */
export function openLinuxRoot(rootPath: string, natives: NativeSource = nativeSource()): Root {
  const pins = pinFolders(rootPath, openNatively(natives))
  const native = nativePaths(rootPath, pins, natives)

  const inFolder = <T>(rel: string, use: (pin: Pin) => T): T => {
    const pin = pins.pin(rel)
    try {
      return use(pin)
    } finally {
      pins.release(pin)
    }
  }

  const statName = (folder: string, name: string): NameStat =>
    inFolder(folder, (pin): NameStat => {
      const found = native.statAt(pin.fd, name)
      if (found === 'missing') return { kind: 'missing' }
      if (found !== null && found.kind !== 'symlink') return { kind: found.kind }
      const path = systemName(pin.base + name)
      const stats = fs.lstatSync(path, IF_THERE)
      if (stats === undefined) return { kind: 'missing' }
      const kind = entryKind(stats)
      return kind === 'symlink' ? { kind, target: exactName(fs.readlinkSync(path, 'latin1')) } : { kind }
    })

  const view = { rootPath, statName, relativise: (absolute: string) => belowRoot(rootPath, absolute) }
  const resolve = (path: string, linkBudget?: number): Resolved => resolveLinks(view, path, linkBudget)

  const attempt = explainingChanges(resolve)

  /** Runs `use` with a path to the last part that goes through the open folder above it. */
  const at = <T>(action: string, rel: string, use: (path: string | Buffer) => T): T =>
    attempt(action, rel, () => {
      const name = plainName(rel)
      return inFolder(folderOf(rel), (pin) => use(systemName(pin.base + name)))
    })

  const access: FolderAccess<number> = {
    enter: (parent, name) => openBelow(`${pins.descriptors}/${parent}`, name),
    leave: fs.closeSync,
    read: (fd) => readFolder(`${pins.descriptors}/${fd}`),
    stat: (fd, name) => {
      const found = native.statAt(fd, name)
      if (found !== null && found !== 'missing') return found
      return fileStat(fs.lstatSync(systemName(`${pins.descriptors}/${fd}/${name}`)))
    },
  }

  const statIn = (pin: Pin, name: string): FileStat | null => {
    const found = native.statAt(pin.fd, name)
    if (found !== null) return found === 'missing' ? null : found
    const stats = fs.lstatSync(systemName(pin.base + name), IF_THERE)
    return stats === undefined ? null : fileStat(stats)
  }

  attempt('open', '', () => pins.release(pins.pin('')))
  return {
    path: rootPath,
    isRaceFree: true,
    resolve,
    stat: (rel) =>
      attempt('inspect', rel, () => {
        if (rel === '') return inFolder(rel, (pin) => fileStat(fs.fstatSync(pin.fd)))
        try {
          return inFolder(folderOf(rel), (pin) => statIn(pin, plainName(rel)))
        } catch (error) {
          if (errnoOf(error) === 'ENOENT') return null
          throw error
        }
      }),
    openFile: (rel) => {
      const fd = native.open(rel, READ_FLAGS)
      if (fd !== null) return takeFile(fd, rel)
      return at('open', rel, (path) => takeFile(fs.openSync(path, READ_FLAGS), rel))
    },
    list: (rel) => attempt('list', rel, () => inFolder(rel, (pin) => readFolder(pin.path))),
    walk: (rel, visit) => {
      const start = attempt('list', rel, () => inFolder(rel, (pin) => openAgain(pin.path)))
      walkFolders(access, start, rel, visit)
    },
    startWalk: (rel, order) => {
      const start = attempt('list', rel, () => inFolder(rel, (pin) => openAgain(pin.path)))
      return new FolderWalk(access, start, rel, order)
    },
    lendFolder: (rel, use) => attempt('open', rel, () => inFolder(rel, (pin) => use(pin.path))),
    isWritable: (rel) =>
      attempt('inspect', rel, () =>
        // In an append-only folder names can be made, but neither replaced nor removed.
        inFolder(rel, (pin) => mayChange(pin.base) && native.isFixed(pin.fd, '.') !== true),
      ),
    findObstacle: (rel, mounted) =>
      attempt('inspect', rel, () =>
        unlessGone(() =>
          inFolder(folderOf(rel), (pin) => {
            const name = plainName(rel)
            const path = systemName(pin.base + name)
            const file = statIn(pin, name)
            if (file === null) return null
            const isMounted =
              mounted?.has(rel) ??
              native.isMounted(pin.fd, name) ??
              isMountPoint(pins.descriptors, pin.fd, path)
            if (isMounted) return MOUNTED
            // Most often all is well, which native code says without the price of an error.
            if (file.kind === 'file' && native.isRefusedAsFile(pin.base + name)) return null
            const isFixed =
              file.kind === 'dir' && [name, '.'].some((one) => native.isFixed(pin.fd, one) === true)
            return isFixed ? FIXED : findObstacle(path, file, () => fileStat(fs.fstatSync(pin.fd)))
          }),
        ),
      ),
    findMounted: () =>
      attempt('inspect', '', () => {
        const points = allMountPointsBelow(rootPath).map((path) => relativeTo(rootPath, exactName(path)))
        return new Set(points.filter((rel) => rel !== null))
      }),
    createExclusive: (rel, mode) =>
      at('create', rel, (path) => takeNewFile(fs.openSync(path, CREATE_FLAGS, mode), rel)),
    rename: (from, to) => {
      at('rename', from, (source) => at('rename to', to, (target) => fs.renameSync(source, target)))
      pins.invalidateChecks()
    },
    // Renaming a file moves no folder, so earlier checks still hold.
    placeFile: (from, to) =>
      at('rename', from, (source) => at('rename to', to, (target) => fs.renameSync(source, target))),
    placeExactly: (from, to, how) =>
      attempt('rename', from, () =>
        inFolder(folderOf(from), (source) =>
          inFolder(folderOf(to), (target) =>
            native.rename(
              { folder: source.fd, name: plainName(from) },
              { folder: target.fd, name: plainName(to) },
              how,
            ),
          ),
        ),
      ),
    unlink: (rel) => at('remove', rel, (path) => fs.unlinkSync(path)),
    mkdir: (rel, mode) => at('create', rel, (path) => fs.mkdirSync(path, { mode })),
    rmdir: (rel) => {
      at('remove', rel, (path) => fs.rmdirSync(path))
      pins.forget(rel)
      pins.invalidateChecks()
    },
    syncDir: (rel) => attempt('sync', rel, () => inFolder(rel, (pin) => syncFolder(pin.path))),
    close: pins.close,
  }
}

function syncFolder(path: string): void {
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY)
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
