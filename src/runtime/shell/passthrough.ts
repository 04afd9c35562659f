import { basename, relative, resolve } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import { watchNewGit } from '../../host/confine/nested/new-git.ts'
import { enterFolders } from '../../host/run/noted/direct-writers.ts'
import type { LeftFolders } from '../../host/run/noted/direct-writers.ts'
import type { ShellHooks } from '../../pipeline/engine.ts'
import { makeFolderBelow } from '../../host/fs/folder-handle.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { judgePathGrant } from './granted-paths.ts'
import type { PathGrantDeps } from './granted-paths.ts'

/**
 * The folders that commands on a layer write directly, absolute. Throws if one is not a folder in a root by its own name: a
 * link could lead anywhere.
 */
export function findPassthrough(
  settings: Settings,
  { roots, locate }: Pick<Workspace, 'roots' | 'locate'>,
): readonly string[] {
  const [first = '/'] = roots
  return settings['tools.shell.passthrough'].map((path) => {
    const absolute = resolve(first, path)
    const located = locate({ path, intent: 'write' })
    if (!located.ok) throw refusal(path, located.error.message)
    if (located.absolute !== absolute) throw refusal(path, 'It is a link, or there is one on the way to it.')
    if (roots.includes(absolute)) throw refusal(path, 'It is a root.')
    if (located.kind !== 'dir' && located.kind !== 'missing') throw refusal(path, 'It is not a folder.')
    return absolute
  })
}

/**
 * Makes those that do not exist yet: a command can write directly only to what is there. They are made from the root down,
 * so that nothing is made behind a link which took the place of a folder since it was judged.
 */
export function makePassthrough(folders: readonly string[], root: string): void {
  for (const folder of folders)
    if (!makeFolderBelow(root, folder))
      throw refusal(relative(root, folder), 'It cannot be made, or there is a link on the way to it.')
}

/** What decides which folders a command writes directly. */
interface DirectDeps {
  readonly settings: Settings
  readonly workspace: Workspace
  readonly paths: PathGrantDeps
}

/** Waits until a command is the only one that writes its folders directly; one on a layer alone writes none. */
export async function enterDirectly(
  { extraAccess }: SpawnRequest,
  { layer, execution, inBackground, signal }: ShellHooks,
  { settings, workspace, paths }: DirectDeps,
  stateDir: string,
): Promise<() => void> {
  const granted = (extraAccess?.write ?? []).map((path) => judgePathGrant(path, 'write', paths))
  const folders = [
    ...((layer ?? null) === null ? workspace.roots : findPassthrough(settings, workspace)),
    ...granted.flatMap((access) => (access.ok ? [access.real] : [])),
  ]
  if (folders.length === 0) return () => undefined
  const background = inBackground === undefined ? null : { handle: execution, words: inBackground }
  const entered = await enterFolders(stateDir, { folders, background }, signal)
  try {
    for (const left of entered.left) setAsideLeft(left, workspace)
    entered.noteBefore(folders.flatMap((folder) => workspace.findGitIn(folder) ?? []))
    return entered.leave
  } catch (thrown) {
    entered.leave()
    throw thrown
  }
}

/** Does for a command that was killed with its Tongs what its end would have done: no repository that it made stays one. */
function setAsideLeft({ folders, before, settle }: LeftFolders, { findGitIn, roots }: Workspace): void {
  const [first = '/'] = roots
  const moved = watchNewGit(folders, before, findGitIn).moveAside()
  settle()
  if (moved.length === 0) return
  const named = moved.map(({ path, movedTo }) => {
    const shown = relative(first, path)
    return movedTo === null ? `${shown} cannot be renamed` : `${shown} is ${basename(movedTo)} now`
  })
  throw failure(
    'not_allowed',
    `A command that was killed had made a git repository where it writes directly, whose configuration git would obey: ${named.join('; ')}. This command did not run.`,
    { moved: moved.map(({ path }) => path) },
    ['Remove it, or look at it and rename it back if you want it. Then run the command again.'],
  )
}

/** What questions and results say about such folders, after the name of the sandbox. */
export function sayPassthrough(settings: Settings): string {
  const folders = settings['tools.shell.passthrough']
  return folders.length === 0 ? '' : `, writing ${folders.join(', ')} directly, which is not undone`
}

function refusal(path: string, why: string): Error {
  return failure(
    'not_allowed',
    `Commands cannot write ${path} directly (tools.shell.passthrough): ${why}`,
    { key: 'tools.shell.passthrough', path },
    ['Name a folder in the root, or remove it from tools.shell.passthrough.'],
  )
}
