import { syncBuiltinESMExports } from 'node:module'
import { wrapDatabase } from './watched-database.ts'
import { wrapFiles } from './watched-files.ts'
import { wrapNative } from './watched-native.ts'
import { isWatching, setWatcher } from './watching.ts'
import type { Reach, Watcher } from './watching.ts'

let isInstalled = false

/**
 * Shows a watcher every step of this process while `body` runs. A write is two steps; stopping at the second one
 * leaves half of it behind. In a view of effects only the beginning and the end of a transaction are steps.
 */
export async function watchSteps(
  watcher: Watcher,
  body: () => Promise<void>,
  reach: Reach = 'effects',
): Promise<void> {
  if (isWatching()) throw new Error('one watcher at a time')
  startWatching(watcher, reach)
  try {
    await body()
  } finally {
    setWatcher(null, 'effects')
  }
}

/** Shows a watcher every step of this process from now on. */
export function startWatching(watcher: Watcher, reach: Reach = 'effects'): void {
  install()
  setWatcher(watcher, reach)
}

/** Wraps what is watched. What a module takes of Node when it is loaded is watched only if this came before. */
export function install(): void {
  if (isInstalled) return
  isInstalled = true
  wrapFiles()
  wrapDatabase()
  syncBuiltinESMExports()
  wrapNative()
}
