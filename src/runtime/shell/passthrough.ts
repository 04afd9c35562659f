import { relative, resolve } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import { makeFolderBelow } from '../../host/fs/folder-handle.ts'
import type { Workspace } from '../../workspace/workspace.ts'

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
