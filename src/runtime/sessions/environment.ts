import { basename } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { Clock } from '../../core/clock.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { readWorktreeState } from '../../host/git/worktree/worktree-state.ts'
import { describeSystem } from '../../host/system/platform.ts'
import type { SessionLog } from '../../journal/log.ts'
import { createIgnoreNotes } from '../../tools/finding/ignore-notes.ts'
import type { Scope } from '../../tools/finding/walk-files.ts'
import { walkLevels } from '../../tools/finding/walk-levels.ts'
import { renderTree } from '../../tools/rendering/tree-text.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What describing the environment needs. */
export interface EnvironmentDeps {
  readonly log: SessionLog
  readonly settings: Settings
  readonly workspace: Workspace
  readonly clock: Clock
  /** Hides secrets; names of branches and files may contain some. */
  readonly hide: (text: string) => string
}

/** More names at the top are only counted. */
const MAX_TOP_LINES = 40

/** The machine and the workspace as they are now, in a few lines for a model; no absolute path is in them. */
export async function describeEnvironment(deps: EnvironmentDeps): Promise<string> {
  const root = deps.workspace.roots[0] ?? ''
  const lines = [
    `system: ${describeSystem()}`,
    `date: ${dateOf(deps.clock.now())}`,
    'shell: sh',
    `root: ${deps.hide(oneLine(basename(root)))}`,
    `git: ${deps.hide(await describeGit(root))}`,
    'top of the tree:',
    ...(await listTop(deps)),
  ]
  return lines.join('\n')
}

function dateOf(now: number): string {
  const at = new Date(now)
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}

async function describeGit(root: string): Promise<string> {
  const state = await readWorktreeState(root).catch(() => null)
  if (state === null) return 'not a repository'
  const branch = state.branch === null ? 'no branch' : `branch ${oneLine(state.branch)}`
  if (state.changed === null)
    return `${branch}, and it is unknown how many files changed since the last commit`
  if (state.changed === 0) return `${branch}, no tracked file changed since the last commit`
  const files = state.changed === 1 ? '1 tracked file' : `${state.changed} tracked files`
  return `${branch}, ${files} changed since the last commit`
}

/** The names at the top of the tree, folders with the number of their entries. */
export async function listTop({
  log,
  settings,
  workspace,
  hide,
}: Omit<EnvironmentDeps, 'clock'>): Promise<readonly string[]> {
  const transaction = workspace.begin({ execution: 'environment', session: log.key, ledger: () => null })
  try {
    const files: { readonly path: string; readonly size: number }[] = []
    const request = {
      start: '',
      scope: VISIBLE,
      maxDepth: 1,
      followLinks: false,
      patterns: settings['tools.ignore.patterns'],
      budget: { left: settings['tools.walk.max_entries'] },
      signal: new AbortController().signal,
      notes: createIgnoreNotes(),
    }
    const { folders } = await walkLevels(transaction.files, request, ({ path }) => {
      files.push({ path: hide(oneLine(path)), size: 0 })
      return true
    })
    const shown = folders.map((folder) => ({ ...folder, path: hide(oneLine(folder.path)) }))
    const lines = renderTree({ files, folders: shown, truncated: false }).split('\n')
    const left = lines.length - MAX_TOP_LINES
    return left <= 0 ? lines : [...lines.slice(0, MAX_TOP_LINES), `[${left} more; list_files shows them]`]
  } finally {
    transaction.close()
  }
}

const VISIBLE: Scope = {
  includes: (name) => !name.startsWith('.'),
  enter: (name) => (name.startsWith('.') ? null : VISIBLE),
}

function oneLine(text: string): string {
  return sanitise(text, { oneLine: true })
}
