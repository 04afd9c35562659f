import { failure } from '../../core/error.ts'
import type { Edits, EditTarget, IntendedPlace, LineRange } from '../../core/powers.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import { showPath } from '../../host/root/rel-path.ts'
import type { SeenFile } from '../../journal/entries/entry.ts'
import type { LedgerRow } from '../../journal/log.ts'
import type { AssumedFiles } from './assumed-files.ts'
import { showFresh } from './fresh-lines.ts'
import type { Located, Sandbox } from '../sandbox/sandbox.ts'
import { isChange } from './staged-file.ts'
import type { Original, StagedFile, StagedFolder } from './staged-file.ts'
import { shownLinesKey, wereShown } from './shown-lines.ts'
import { StagedFiles } from './staged-files.ts'
import type { StagingBuffers } from './staged-files.ts'

/** What staging needs to know. */
export interface StagingOptions {
  readonly sandbox: Sandbox
  readonly ledger: (path: string) => LedgerRow | null
  readonly maxFileBytes: number
  /** Files up to this size are shown completely if they turn out to be stale. */
  readonly shownBytes: number
  /** The path for the backup of a file. */
  readonly backupPathFor: (at: Located) => string
  readonly note: (seen: SeenFile) => void
  readonly now: () => number
  readonly assertOpen: () => void
  /** Told what is read of files. */
  readonly onRead: (bytes: Uint8Array) => void
  readonly assumed: AssumedFiles
  /** Called if it is not known what the call will find at a place. */
  readonly noteUncovered: () => void
  /** The files that are open in an editor; null if there is none. */
  readonly editor: StagingBuffers | null
}

/** Edits that are only staged, and the staged files. */
export interface Staging {
  readonly edits: Edits
  readonly staged: () => readonly StagedFile[]
  readonly folders: () => readonly StagedFolder[]
}

const READ_FIRST = 'File was not read before patching'
const CHANGED = 'File content changed since last read'

/** Stages the changes of one call. */
export function createStaging(options: StagingOptions): Staging {
  const { sandbox, ledger, assumed } = options
  const files = new StagedFiles(options.maxFileBytes, assumed, options.editor)

  /**
   * Where each path led when the call first named it. What the call then does goes by this alone, and what it found there
   * is compared once more at the commit.
   */
  const located = new Map<string, Located>()

  function locate(path: string): Located {
    options.assertOpen()
    let isCovered = assumed.isEmpty
    try {
      const at = located.get(path) ?? sandbox.locate(path, 'write')
      located.set(path, at)
      isCovered ||= assumed.covers(at)
      return at
    } finally {
      if (!isCovered) options.noteUncovered()
    }
  }

  const edits: Edits = {
    stat(path): EditTarget {
      const at = locate(path)
      const staged = files.get(at)
      const left = assumed.find(at.absolute)
      const known = staged === undefined ? left && left.bytes : staged.after
      if (known !== undefined) {
        return {
          path: at.display,
          key: at.absolute,
          kind: known === null ? 'missing' : 'file',
          size: known?.length ?? 0,
        }
      }
      return {
        path: at.display,
        key: at.absolute,
        kind: at.kind,
        size: at.kind === 'file' ? (at.root.stat(at.rel)?.size ?? 0) : 0,
      }
    },
    read(path) {
      const at = locate(path)
      const bytes = files.contentOf(at)
      if (bytes === null)
        throw failure('execution_failed', `${at.display} does not exist.`, { path: at.display }, [
          'Check the spelling, or create it with write_file.',
        ])
      options.onRead(bytes)
      return bytes
    },
    requireFresh(path, place) {
      const at = locate(path)
      const base = files.baseOf(at)
      // A file that this call has staged itself, or that does not exist, cannot be stale.
      if (base === null || files.get(at) !== undefined || assumed.isRead(at.absolute)) return
      if (
        place.orShown !== undefined &&
        wereShown(ledger(shownLinesKey(at.absolute)), base.bytes, place.orShown)
      )
        return
      requireFreshBase({ at, base, row: ledger(at.absolute) }, place, options)
    },
    write(path, bytes, { keepBackup = true, like } = {}) {
      files.stage(locate(path), bytes, keepBackup, like === undefined ? null : locate(like))
    },
    remove(path) {
      files.stage(locate(path), null, true)
    },
    drop(path) {
      files.drop(locate(path))
    },
    removeFolder(path) {
      files.stageFolder(locate(path), null)
    },
    makeFolder(path, like) {
      files.stageFolder(locate(path), locate(like))
    },
    backupPath(path) {
      const at = locate(path)
      const staged = files.get(at)
      if (staged === undefined || staged.base === null || !staged.keepsBackup || !isChange(staged))
        return null
      return options.backupPathFor(at)
    },
    diff: () => files.changes().map(diffOf).join(''),
  }
  return { edits, staged: () => files.changes(), folders: () => files.folders() }
}

/** A file that exists, and what the ledger knows of it. */
interface KnownFile {
  readonly at: Located
  readonly base: Original
  readonly row: LedgerRow | null
}

function requireFreshBase({ at, base, row }: KnownFile, place: IntendedPlace, options: StagingOptions): void {
  const file = at.display
  if (row === null || row.digest === null) {
    throw failure('stale_file', READ_FIRST, { file, reason: READ_FIRST }, [
      `Call read_file with ${JSON.stringify({ path: file })} first, then try again.`,
    ])
  }
  if (row.digest === base.digest) {
    if (place.mustHaveSeen !== undefined) requireShown(file, row, place.mustHaveSeen, place.instead)
    return
  }
  options.onRead(base.bytes)
  const fresh = showFresh(base.bytes, place, options.shownBytes)
  if (fresh !== null && (fresh.isWhole || place.matchesText)) {
    options.note({
      path: at.absolute,
      digest: base.digest,
      at: options.now(),
      range: fresh.isWhole ? null : fresh.range,
    })
  }
  const details = {
    file,
    reason: CHANGED,
    ...(fresh === null ? {} : { fresh: { ...fresh.range, text: fresh.text } }),
  }
  throw failure('stale_file', CHANGED, details, [`Check the current lines of ${file}, then try again.`])
}

/** The change of one file as a unified diff. */
export function diffOf({ at, base, after }: StagedFile): string {
  const path = showPath(at.display)
  return unifiedDiff({ path, before: readable(base?.bytes ?? null), after: readable(after) })
}

function readable(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Lines may be replaced by number only if the caller has been shown them. */
function requireShown(
  file: string,
  { ranges }: LedgerRow,
  wanted: LineRange,
  instead = 'state their content in "expected"',
): void {
  if (ranges === null) return
  if (ranges.some((range) => range.start_line <= wanted.start_line && wanted.end_line <= range.end_line))
    return
  // What was shown from the beginning on need not be read again.
  const shown = ranges.find(
    (range) => range.start_line <= wanted.start_line && wanted.start_line <= range.end_line,
  )
  const start_line = shown === undefined ? wanted.start_line : shown.end_line + 1
  const { end_line } = wanted
  const message = `${READ_FIRST}: lines ${start_line} to ${end_line} were not shown`
  throw failure('stale_file', message, { file, reason: READ_FIRST, lines: { start_line, end_line } }, [
    `Read those lines of ${file} first, or ${instead}.`,
  ])
}
