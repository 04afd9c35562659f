import type { Settings } from '../../../config/keys.ts'
import { ToolFailure } from '../../../core/error.ts'
import { systemClock } from '../../../host/system/clock.ts'
import { createIgnoreNotes } from '../../../tools/finding/ignore-notes.ts'
import { walkFiles } from '../../../tools/finding/walk-files.ts'
import type { Scope } from '../../../tools/finding/walk-files.ts'
import { openWorkspace } from '../../../workspace/open-workspace.ts'
import { storedFolders } from '../../../runtime/configure/places.ts'

/** What the path search needs. */
export interface PathsPlace {
  readonly root: string
  readonly stateDir: string
  readonly settings: Settings
}

interface Search {
  readonly root: string
  readonly at: number
  readonly paths: Promise<readonly string[]>
}

const MOST_PATHS = 20_000
/** How long a list of paths stays fresh. */
const FRESH_MS = 3_000

const VISIBLE: Scope = {
  includes: (name) => !name.startsWith('.'),
  enter: (name) => (name.startsWith('.') ? null : VISIBLE),
}

/** Lists the files that a tool could read, without ignored and denied ones. */
export function createPathFinder(
  place: () => PathsPlace,
): (signal: AbortSignal) => Promise<readonly string[]> {
  let known: Search | null = null

  function search(root: string, signal: AbortSignal): Search {
    const found = { root, at: Date.now(), paths: listPaths(place(), signal) }
    // Typing on ends the search, and a partial list must not be cached.
    const forget = (): void => {
      if (known === found) known = null
    }
    const keep = (): void => signal.removeEventListener('abort', forget)
    signal.addEventListener('abort', forget, { once: true })
    found.paths.then(keep, forget)
    return found
  }

  return (signal) => {
    const { root } = place()
    if (known?.root !== root || Date.now() - known.at > FRESH_MS) known = search(root, signal)
    return known.paths
  }
}

async function listPaths(
  { root, stateDir, settings }: PathsPlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const workspace = openWorkspace({
    root,
    settings,
    clock: systemClock,
    ...storedFolders(stateDir),
  })
  const transaction = workspace.begin({
    execution: 'completion',
    session: { root, name: 'completion' },
    ledger: () => null,
  })
  const paths: string[] = []
  try {
    const options = {
      start: '',
      scope: VISIBLE,
      maxDepth: settings['tools.list_files.max_depth'],
      followLinks: false,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal,
      notes: createIgnoreNotes(),
    }
    await walkFiles(transaction.files, options, ({ path }) => paths.push(path) < MOST_PATHS)
  } catch (thrown) {
    if (!signal.aborted && !(thrown instanceof ToolFailure)) throw thrown
  } finally {
    transaction.close()
    workspace.close()
  }
  return paths.filter((path) => !/[\u0000-\u001f\u007f]/.test(path))
}
