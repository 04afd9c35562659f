import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { GONE_PREFIX, NEW_PREFIX } from './layer-names.ts'
import { findOwner, OWNER_FILE } from './layer-owner.ts'
import { removeFolder, removeGone } from './remove-folder.ts'

/** How old a layer is at least before it counts as left behind although its process cannot be seen. */
const OLD_MS = 24 * 60 * 60 * 1000

/** Removes what ended processes left in a folder for layers, but for the layers of calls that are kept. */
export async function sweepLayers(place: string, isKept: (execution: string) => boolean): Promise<void> {
  for (const name of namesIn(place)) {
    const folder = join(place, name)
    if (!isLeftBehind(folder)) continue
    if (name.startsWith(GONE_PREFIX)) await removeGone(folder)
    else if (name.startsWith(NEW_PREFIX) || !isKept(name)) await removeFolder(folder)
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

function isLeftBehind(folder: string): boolean {
  const owner = findOwner(readOwner(folder))
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
