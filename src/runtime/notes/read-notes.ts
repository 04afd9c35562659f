import { join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { byteLength, truncateText } from '../../core/text/truncate.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { readPlainFile } from '../../host/fs/plain-file.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** What reading notes needs. */
export interface NotesDeps {
  readonly log: SessionLog
  readonly settings: Settings
  readonly workspace: Workspace
  /** Hides secrets; no result shields what is read here. */
  readonly hide: (text: string) => string
  /** The folder that the session was started in, relative to the root; '' is the root. */
  readonly startFolder: string
  /** The folder of the user's own notes; null if there is none. */
  readonly userFolder: string | null
}

/** A file of notes as the model gets it. */
export interface NoteFile {
  /** Relative to the root; the whole path for the user's own. */
  readonly path: string
  /** The size of what the model gets. */
  readonly bytes: number
  readonly isCut: boolean
}

/** The notes that a conversation begins with. */
export interface StartNotes {
  /** The user's own, for every project; null if there are none. */
  readonly user: string | null
  /** Those of the workspace, the nearest last; null if there are none. */
  readonly workspace: string | null
  readonly files: readonly NoteFile[]
}

/** A larger file is not a file of notes, unless the settings say so: all of it is searched for secrets at every start. */
function mostNotesBytes(settings: Settings): number {
  return Math.max(1024 ** 2, settings['conversation.notes_max_bytes'])
}

/** The user's own file has one name in every project. */
const USER_NOTES = 'AGENTS.md'

/** Reads the notes from the root down to the folder that the session was started in, and the user's own. */
export function readStartNotes(deps: NotesDeps): StartNotes {
  const { settings, startFolder } = deps
  const found = foldersTo(startFolder).flatMap((folder) => readFolderNotes(folder, deps))
  const shares = share(found, settings['conversation.notes_total_bytes'], settings)
  const user = readUserNotes(deps)
  return {
    user: user?.shown ?? null,
    workspace: shares.length === 0 ? null : joinNotes(shares),
    files: [...(user === null ? [] : [user]), ...shares].map(({ path, bytes, isCut }) => ({
      path,
      bytes,
      isCut,
    })),
  }
}

/** The root and every folder on the way to one. */
export function foldersTo(folder: string): readonly string[] {
  const names = folder.split('/').filter((name) => name !== '' && name !== '.')
  return ['', ...names.map((_, at) => names.slice(0, at + 1).join('/'))]
}

/** A file of notes, whole. */
export interface FoundNotes {
  readonly path: string
  readonly text: string
}

/** The notes in a folder of the workspace, in the order of the setting. */
export function readFolderNotes(
  folder: string,
  { log, settings, workspace, hide }: Pick<NotesDeps, 'log' | 'settings' | 'workspace' | 'hide'>,
): readonly FoundNotes[] {
  const found: FoundNotes[] = []
  for (const name of settings['conversation.notes']) {
    // A name with a folder in it means one file of the root.
    if (folder !== '' && name.includes('/')) continue
    const path = folder === '' ? name : `${folder}/${name}`
    const text = readNote(path, mostNotesBytes(settings), log, workspace)?.trim() ?? ''
    const says = found.some((other) => other.text === text || `@${other.path}` === joinFolder(folder, text))
    if (text !== '' && !says) found.push({ path, text })
  }
  return found.map(({ path, text }) => ({ path, text: hide(text) }))
}

/** One file often only names the other, as `@AGENTS.md`; then the other says it all. */
function joinFolder(folder: string, text: string): string {
  return folder === '' || !text.startsWith('@') ? text : `@${folder}/${text.slice(1)}`
}

/** Reads a file as a tool would: links that lead out of the workspace are not followed, and nothing is waited for. */
function readNote(path: string, maxBytes: number, log: SessionLog, workspace: Workspace): string | null {
  const transaction = workspace.begin({ execution: 'notes', session: log.key, ledger: () => null })
  try {
    const bytes = transaction.files.peek(path, maxBytes)
    return bytes === null ? null : new TextDecoder().decode(bytes)
  } finally {
    transaction.close()
  }
}

/** What a model gets of a file. */
export interface ShownNotes extends NoteFile {
  readonly shown: string
}

/** Shares the room among files, the last ones first: they are the nearest, and count where files conflict. */
export function share(
  found: readonly FoundNotes[],
  totalBytes: number,
  settings: Settings,
): readonly ShownNotes[] {
  let left = totalBytes
  return found
    .toReversed()
    .map(({ path, text }): ShownNotes => {
      const most = Math.min(left, settings['conversation.notes_max_bytes'])
      const whole = byteLength(text)
      const fitted = truncateText(text, most)
      left -= Math.min(whole, most)
      if (most > 0)
        return { path, shown: fitted.text, bytes: byteLength(fitted.text), isCut: fitted.truncated }
      return { path, shown: `[${whole} bytes are left out; read_file shows them]`, bytes: 0, isCut: true }
    })
    .toReversed()
}

/** The text of several files, each under its name. */
export function joinNotes(files: readonly ShownNotes[]): string {
  return files.map(({ path, shown }) => `${showPath(path)}:\n${shown}`).join('\n\n')
}

/** A link in the place of the user's own file is not followed: it could lead into a workspace, where tools change files. */
function readUserNotes({ userFolder, settings, hide }: NotesDeps): ShownNotes | null {
  if (userFolder === null || settings['conversation.notes'].length === 0) return null
  const path = join(userFolder, USER_NOTES)
  const found = readPlainFile(path, 'project', mostNotesBytes(settings))
  if (found.is !== 'read') return null
  const text = hide(found.bytes.toString('utf8')).trim()
  if (text === '') return null
  const { text: shown, truncated } = truncateText(text, settings['conversation.notes_max_bytes'])
  return { path, shown, bytes: byteLength(shown), isCut: truncated }
}
