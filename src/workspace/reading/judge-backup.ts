import { join } from 'node:path'
import { digest } from '../../host/system/hash.ts'
import type { Digest } from '../../journal/entries/content.ts'
import type { FileChange } from '../../journal/entries/file-change.ts'
import { denied } from '../sandbox/sandbox.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** A file that a call changed, and what it was before. */
export type ChangedFile = Pick<FileChange, 'root' | 'path' | 'before'>

const NONE: ReadonlySet<Digest> = new Set()

/** What the name of a backup says: the call, the digest of the path, and the name of the file. */
const NAME = /^tongs:backup\/(?:[0-9TZ]+-)?([0-9a-z]{26})(?:-([0-9a-f]{8})-(.*))?$/

/**
 * Refuses the backup of a file that is denied by now, although it was not when it was edited; returns the digests that are
 * on record for it.
 */
export function judgeBackup(
  path: string,
  sandbox: Sandbox,
  changedBy: (execution: string) => readonly ChangedFile[],
): ReadonlySet<Digest> {
  const [, execution, mark, name = ''] = NAME.exec(path) ?? []
  if (execution === undefined) return NONE
  const known = changedBy(execution)
  const meant = mark === undefined ? known : known.filter((file) => digest(absoluteOf(file)).startsWith(mark))
  const [base] = sandbox.roots
  // Without a record of the call, the name of the file has to do.
  const files: readonly Pick<ChangedFile, 'root' | 'path'>[] =
    meant.length === 0 && name !== '' ? [{ root: base.path, path: name }] : meant
  for (const file of files) {
    const root = sandbox.roots.find((one) => one.path === file.root)
    const pattern =
      root === undefined
        ? sandbox.findDenyOutside(absoluteOf(file), 'read')
        : sandbox.findDeny(root, file.path, 'read')
    if (pattern !== null) throw denied(path, pattern)
  }
  return new Set(meant.flatMap(({ before }) => (before === null ? [] : [before.digest])))
}

function absoluteOf({ root, path }: Pick<ChangedFile, 'root' | 'path'>): string {
  return join(root, path)
}
