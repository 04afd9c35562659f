import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { GONE_PREFIX, NEW_PREFIX } from './layer-names.ts'
import { findMarkedOwner, findOwner, OWNER_FILE } from './layer-owner.ts'
import { leftStateOf, namesLeftIn, removeFolder, removeGone, unlessFailing } from './remove-folder.ts'

/** How old a layer is at least before it counts as left behind although its process cannot be seen. */
const OLD_MS = 24 * 60 * 60 * 1000

/** Whether what a call left on its layer may still be needed; `unknown` for a call that the journal does not hold. */
export type LayerStatus = 'kept' | 'left' | 'unknown'

/** What decides about the layers in a folder. */
export interface SweepRules {
  readonly statusOf: (execution: string) => LayerStatus
  /** Whether other journals may have layers there too: then a call that is unknown may be one of theirs. */
  readonly isShared: boolean
}

/** Removes what ended processes left in a folder for layers, but for the layers of calls that are kept. */
export async function sweepLayers(place: string, rules: SweepRules): Promise<void> {
  await sweepNames(place, namesIn(place), rules)
}

/** The same for what this process itself left there. */
export async function sweepLeft(place: string, rules: SweepRules): Promise<void> {
  await sweepNames(place, namesLeftIn(place), rules)
}

async function sweepNames(
  place: string,
  names: readonly string[],
  { statusOf, isShared }: SweepRules,
): Promise<void> {
  const isOver = (folder: string, name: string): boolean => {
    const left = leftStateOf(folder)
    if (left === null && !isLeftBehind(folder, name)) return false
    if (name.startsWith(NEW_PREFIX)) return true
    const status = statusOf(name)
    return status === 'left' || (status === 'unknown' && (left === 'unremoved' || !isShared))
  }
  for (const name of names) {
    const folder = join(place, name)
    // Of what lost its name nothing is needed, and two may remove it at a time.
    if (name.startsWith(GONE_PREFIX)) await unlessFailing(removeGone(folder))
    else if (isOver(folder, name)) await unlessFailing(removeFolder(folder))
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
  return Date.now() - changedMs(folder) > OLD_MS
}

/** What cannot be looked at is never old. */
function changedMs(folder: string): number {
  try {
    return lstatSync(folder).ctimeMs
  } catch {
    return Infinity
  }
}

function readOwner(folder: string): string {
  try {
    return readFileSync(join(folder, OWNER_FILE), 'utf8')
  } catch {
    return ''
  }
}
