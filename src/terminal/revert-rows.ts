import { showPath } from '../core/text/display/show-path.ts'

/** What an undo or redo does. */
interface Revert {
  readonly files: readonly Reverted[]
  readonly folders?: readonly Reverted[]
  readonly outside?: readonly { readonly tool: string; readonly summary: string }[]
}

interface Reverted {
  readonly path: string
  readonly action: string
}

/** What is done to which files and folders, a row each; the words before each say when. */
export function revertRows({ files, folders = [], outside = [] }: Revert, when: string): readonly string[] {
  return [
    ...outside.map(({ tool, summary }) => `${when}taken back by ${tool}, outside the files: ${summary}`),
    ...files.map(
      ({ path, action }) => `${when}${action}: ${showPath(path)}${action === 'merged' ? KEPT : ''}`,
    ),
    ...folders.map(({ path, action }) => `${when}${actionOnFolder(action)}: ${showPath(`${path}/`)}`),
  ]
}

/** A merge takes back the lines of the calls only. */
const KEPT = ' (later changes kept)'

/** A folder is not taken away from what others have put into it. */
export function actionOnFolder(action: string): string {
  return action === 'removed' ? 'removed if empty' : action
}
