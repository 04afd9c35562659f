import { statSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Watches paths, most of which do not exist. */
export interface NameWatch {
  readonly close: () => void
}

/**
 * Calls back when something happens at one of these paths. If the folder of a path does not exist yet, the nearest
 * one above it that does is watched until it appears.
 */
export function watchNames(paths: readonly string[], onEvent: () => void): NameWatch {
  const watchers = new Map<string, { readonly identity: string; readonly watcher: FSWatcher }>()
  const names = new Set<string>()
  let isClosed = false

  /** Watches a folder; false if it is watched already. A new folder in the place of an old one is another. */
  const add = (folder: string): boolean => {
    const identity = identityOf(folder)
    const known = watchers.get(folder)
    if (identity === null || known?.identity === identity) return false
    known?.watcher.close()
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (isClosed || (name !== null && !names.has(name))) return
        addAll()
        onEvent()
      })
      watcher.on('error', () => watcher.close())
      watchers.set(folder, { identity, watcher })
      return true
    } catch {
      // If the system has no watches left or the folder is gone, the check at the end still finds everything.
      return false
    }
  }

  /** Goes on until nothing is new: a folder may appear while the one above it is about to be watched. */
  const addAll = (): void => {
    for (let hasNew = true; hasNew;) {
      hasNew = false
      for (const path of paths) {
        let at = path
        do {
          names.add(basename(at))
          at = dirname(at)
        } while (identityOf(at) === null && at !== dirname(at))
        if (add(at)) hasNew = true
      }
    }
  }

  addAll()
  return {
    close: () => {
      isClosed = true
      for (const { watcher } of watchers.values()) watcher.close()
    },
  }
}

function identityOf(folder: string): string | null {
  try {
    const found = statSync(folder)
    return found.isDirectory() ? `${found.dev}:${found.ino}` : null
  } catch {
    return null
  }
}
