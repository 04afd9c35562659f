import { basename, join } from 'node:path'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { canonicalFolder } from '../../host/fs/folders.ts'
import { digest } from '../../host/system/hash.ts'
import { openRoot } from '../../host/root/open-root.ts'
import { statPlain } from '../../host/root/stat-plain.ts'
import type { OpenFile } from '../../host/root/root.ts'
import type { Digest } from '../../journal/entries/content.ts'
import type { SessionKey } from '../../journal/entries/entry.ts'
import { isRecorded, isSealed } from '../reading/stored-digests.ts'
import type { SealText } from '../reading/stored-digests.ts'

/** The file for the old content of `path`; its name shows the time, the call and the original name. */
export function backupPathFor(folder: string, execution: string, atMs: number, path: string): string {
  const time = new Date(atMs).toISOString().replaceAll(/[-:]/g, '').replace('.', '')
  const name = basename(path)
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 80)
  return join(folder, `${time}-${execution}-${digest(path).slice(0, 8)}-${name}`)
}

/** The folder of one session's files; no session reads those of another. */
export function sessionFolder(folder: string, { root, name }: SessionKey): string {
  return join(folder, digest(`${root}\0${name}`).slice(0, 32))
}

/** The file for the full output of a command, named after the call. */
export function outputPathFor(folder: string, session: SessionKey, execution: string): string {
  return join(sessionFolder(folder, session), execution)
}

const EXECUTION = /^[0-9a-z]{26}$/
const SKILL_PATH = /^tongs:skills\/([a-z0-9-]{1,64})\/(.+)$/
const STORED_PATH = /^tongs:(backup|output)\/([A-Za-z0-9._-]{1,255})$/

/** The folders of stored files of one session. */
export interface StoredFolders {
  readonly backup: string
  readonly output: string
  /** The folder of a skill of the user, by its name; null if there is none. */
  readonly skill: (name: string) => string | null
  /** Seals what outputs hold. */
  readonly seal: SealText
}

/** Whether a path names a stored file outside the workspace. */
export function isStoredPath(path: string): boolean {
  return path.startsWith('tongs:')
}

/**
 * Opens a stored file by the name that a result gave; only plain names are accepted, and the folders are private. One that
 * another program has rewritten is refused: `backedUp` says what backups of the call hold.
 */
export function openStored(folders: StoredFolders, path: string, backedUp: ReadonlySet<Digest>): OpenFile {
  const [, skill, inside] = SKILL_PATH.exec(path) ?? []
  if (skill !== undefined && inside !== undefined) return openSkillFile(folders.skill(skill), inside, path)
  const [, kind, name] = STORED_PATH.exec(path) ?? []
  const missing = failure('execution_failed', `No stored file is named ${path} in this session.`, { path }, [
    'Use the name at the end of a backup_path, as in tongs:backup/NAME, or the name in the result of a command.',
  ])
  const folder = kind === 'output' ? folders.output : folders.backup
  if (name === undefined || name === '.' || name === '..' || canonicalFolder(folder) === null) throw missing
  const root = openRoot(folder)
  const opened = (exactName: string): OpenFile => {
    const file = root.openFile(exactName)
    const isOurs =
      kind === 'output' ? isSealed(file, join(folder, exactName), folders.seal) : isRecorded(file, backedUp)
    if (isOurs) return file
    file.close()
    throw rewritten(path)
  }
  try {
    if (root.stat(name)?.kind === 'file') return opened(name)
    // The id of a call that stored a single backup may be used for it.
    const [only, ...more] = root.list('').filter(({ exactName }) => exactName.includes(`-${name}-`))
    if (only?.kind !== 'file' || more.length > 0 || !EXECUTION.test(name)) throw missing
    return opened(only.exactName)
  } finally {
    root.close()
  }
}

function rewritten(path: string): ToolFailure {
  return failure(
    'execution_failed',
    `${path} is not what was stored: its digest is not the one on record, so another program has rewritten the file.`,
    { path },
    ['Do not rely on it. If its content is needed, call again what stored it.'],
  )
}

/** Opens a file in the folder of a skill; nothing is reached through a link, and nothing above it. */
function openSkillFile(folder: string | null, inside: string, path: string): OpenFile {
  const missing = failure('execution_failed', `There is no file ${path} in a skill of the user.`, { path }, [
    'Use the path that the instructions or the skill name.',
  ])
  const parts = inside.split('/')
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  if (folder === null || !isPlain || inside.includes('\0')) throw missing
  const root = openRoot(folder)
  try {
    if (statPlain(root, inside)?.kind !== 'file') throw missing
    return root.openFile(inside)
  } finally {
    root.close()
  }
}
