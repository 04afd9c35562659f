import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { errnoOf } from '../fs/errno.ts'
import { GONE_PREFIX, NEW_PREFIX } from './layer-names.ts'
import { findMarkedOwner, findOwner, OWNER_FILE } from './layer-owner.ts'
import { isUnremoved, removeFolder, removeGone } from './remove-folder.ts'

/** How old a layer is at least before it counts as left behind although its process cannot be seen. */
const OLD_MS = 24 * 60 * 60 * 1000

/** Removes what ended processes left in a folder for layers, but for the layers of calls that are kept. */
export async function sweepLayers(place: string, isKept: (execution: string) => boolean): Promise<void> {
  for (const name of namesIn(place)) {
    const folder = join(place, name)
    // Of what lost its name nothing is needed, and two may remove it at a time.
    if (name.startsWith(GONE_PREFIX)) await unlessFailing(removeGone(folder))
    else if (
      (isUnremoved(folder) || isLeftBehind(folder, name)) &&
      (name.startsWith(NEW_PREFIX) || !isKept(name))
    )
      await unlessFailing(removeFolder(folder))
  }
}

/** What cannot be removed must not keep commands from running; the next sweep tries again. */
async function unlessFailing(removing: Promise<void>): Promise<void> {
  try {
    await removing
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) && errnoOf(thrown) === null) throw thrown
  }
}

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

function isLeftBehind(folder: string, name: string): boolean {
  const owner = name.startsWith(NEW_PREFIX)
    ? findMarkedOwner(name.slice(NEW_PREFIX.length))
    : findOwner(readOwner(folder))
  if (owner !== 'unknown') return owner === 'ended'
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.ctimeMs > OLD_MS
}

function readOwner(folder: string): string {
  try {
    return readFileSync(join(folder, OWNER_FILE), 'utf8')
  } catch {
    return ''
  }
}
