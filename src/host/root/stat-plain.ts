import { ToolFailure } from '../../core/error.ts'
import { folderOf } from './rel-path.ts'
import type { FileStat, Root } from './root.ts'

/** What is at a path by its folders alone; null also where a file or a link is in the place of one of them. */
export function statPlain(root: Root, path: string): FileStat | null {
  try {
    return root.stat(path)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || path === '') throw thrown
    const above = statPlain(root, folderOf(path))
    if (above === null || above.kind !== 'dir') return null
    throw thrown
  }
}

/** What is at a path; null if there is nothing, or nothing that can be looked at. */
export function statOrNull(root: Root, path: string): FileStat | null {
  try {
    return root.stat(path)
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}
