import type { Settings } from '../../../config/keys.ts'
import { ToolFailure } from '../../../core/error.ts'
import { systemClock } from '../../../host/clock.ts'
import { walkFiles } from '../../../tools/walk-files.ts'
import type { Scope } from '../../../tools/walk-files.ts'
import { openWorkspace } from '../../../workspace/open-workspace.ts'
import { keptFolders } from '../../../runtime/places.ts'

/** What looking for paths needs. */
export interface PathsPlace {
  readonly root: string
  readonly stateDir: string
  readonly settings: Settings
}

const MOST_PATHS = 20_000
/** For so long a list is taken to be as good as new. */
const FRESH_MS = 3_000

const VISIBLE: Scope = {
  wants: (name) => !name.startsWith('.'),
  enter: (name) => (name.startsWith('.') ? null : VISIBLE),
}

/** Makes something that lists the files a tool could read: ignored and denied ones are not among them. */
export function createPathFinder(
  place: () => PathsPlace,
): (signal: AbortSignal) => Promise<readonly string[]> {
  let known: {
    readonly root: string
    readonly at: number
    readonly paths: Promise<readonly string[]>
  } | null = null
  return (signal) => {
    const { root } = place()
    if (known === null || known.root !== root || Date.now() - known.at > FRESH_MS)
      known = { root, at: Date.now(), paths: listPaths(place(), signal) }
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
    ...keptFolders(stateDir),
  })
  const transaction = workspace.begin({
    execution: 'completion',
    session: { root, name: 'completion' },
    ledger: () => null,
  })
  const paths: string[] = []
  try {
    const wish = {
      start: '',
      scope: VISIBLE,
      maxDepth: settings['tools.list_files.max_depth'],
      followLinks: false,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal,
    }
    await walkFiles(transaction.files, wish, ({ path }) => paths.push(path) < MOST_PATHS)
  } catch (thrown) {
    if (!signal.aborted && !(thrown instanceof ToolFailure)) throw thrown
  } finally {
    transaction.close()
    workspace.close()
  }
  return paths.filter((path) => !/[\u0000-\u001f\u007f]/.test(path))
}
