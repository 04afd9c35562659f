import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { Edits, EditTarget, IntendedPlace, LineRange } from '../../core/powers.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import { digest } from '../../host/system/hash.ts'
import { absoluteOf, folderOf } from '../../host/root/rel-path.ts'
import { witnessOf } from '../../host/root/witness.ts'
import type { SeenFile } from '../../journal/entries/entry.ts'
import type { LedgerRow } from '../../journal/log.ts'
import type { PreviewState } from './forecast.ts'
import { showFresh } from './fresh-lines.ts'
import type { Located, Sandbox } from '../sandbox/sandbox.ts'
import { isChange } from './staged-file.ts'
import type { Original, StagedFile } from './staged-file.ts'

/** What staging needs to know. */
export interface StagingOptions {
  readonly sandbox: Sandbox
  readonly ledger: (path: string) => LedgerRow | null
  readonly maxFileBytes: number
  /** Files up to this size are shown whole when they turn out stale. */
  readonly shownBytes: number
  /** Names the place where a file's old content will be kept. */
  readonly backupPathFor: (at: Located) => string
  readonly note: (seen: SeenFile) => void
  readonly now: () => number
  readonly assertOpen: () => void
  readonly preview: PreviewState
}

/** Edits that are only staged, and the list of them. */
export interface Staging {
  readonly edits: Edits
  readonly staged: () => readonly StagedFile[]
}

const READ_FIRST = 'File was not read before patching'
const CHANGED = 'File content changed since last read'

/** Stages the changes of one call. */
export function createStaging(options: StagingOptions): Staging {
  const { sandbox, ledger, maxFileBytes, preview } = options
  const files = new Map<string, StagedFile>()
  const bases = new Map<string, Original | null>()
  const folders = new Set<string>()

  function locate(path: string): Located {
    options.assertOpen()
    return sandbox.locate(path, 'write')
  }

  function baseOf(at: Located): Original | null {
    const known = bases.get(at.absolute)
    if (known !== undefined) return known
    const assumed = preview.contents.get(at.absolute)
    const base =
      assumed === undefined
        ? at.kind === 'missing'
          ? null
          : readBase(at, maxFileBytes)
        : assumedBase(assumed)
    bases.set(at.absolute, base)
    return base
  }

  function current(at: Located): Uint8Array | null {
    const staged = files.get(at.absolute)
    return staged === undefined ? (baseOf(at)?.bytes ?? null) : staged.after
  }

  function stage(
    at: Located,
    after: Uint8Array | null,
    keepsBackup: boolean,
    likeAt: Located | null = null,
  ): void {
    const base = baseOf(at)
    if (base !== null && (base.mode & 0o222) === 0) {
      throw failure('execution_failed', `${at.display} is read-only.`, { path: at.display }, [
        'Make it writable first if it is meant to change.',
      ])
    }
    if (after !== null && after.length > maxFileBytes) {
      throw failure(
        'limit_exceeded',
        `${at.display} would have ${after.length} bytes; tools.edit.max_file_bytes allows ${maxFileBytes}.`,
        { path: at.display, limit: maxFileBytes },
        ['Split it into several files.'],
      )
    }
    if (after !== null) requireNoClash(at)
    const like = likeAt === null ? null : baseOf(likeAt)
    files.set(at.absolute, { at, base, after, keepsBackup, like, likeAt, folders: [] })
  }

  /** One name cannot become both a file and the folder of another: that would only show while the changes land. */
  function requireNoClash(at: Located): void {
    const isStaged = (absolute: string): boolean => (files.get(absolute)?.after ?? null) !== null
    const above = foldersAbove(at)
    const file = above.find(isStaged)
    if (file !== undefined) throw clash(at, file)
    const below = `${at.absolute}/`
    if (
      folders.has(at.absolute) &&
      [...files.keys()].some((path) => path.startsWith(below) && isStaged(path))
    )
      throw clash(at, at.absolute)
    for (const folder of above) folders.add(folder)
  }

  const edits: Edits = {
    stat(path): EditTarget {
      const at = locate(path)
      const staged = files.get(at.absolute)
      const known = staged === undefined ? preview.contents.get(at.absolute) : staged.after
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
      const bytes = current(at)
      if (bytes === null)
        throw failure('execution_failed', `${at.display} does not exist.`, { path: at.display }, [
          'Check the spelling, or create it with write_file.',
        ])
      return bytes
    },
    requireFresh(path, place) {
      const at = locate(path)
      const base = baseOf(at)
      // What this call has staged itself it knows; what does not exist cannot be stale.
      if (
        base === null ||
        files.has(at.absolute) ||
        preview.contents.has(at.absolute) ||
        preview.reads.has(at.absolute)
      )
        return
      requireFreshBase(at, base, ledger(at.absolute), place, options)
    },
    write(path, bytes, { keepBackup = true, like } = {}) {
      stage(locate(path), bytes, keepBackup, like === undefined ? null : locate(like))
    },
    remove(path) {
      stage(locate(path), null, true)
    },
    drop(path) {
      files.delete(locate(path).absolute)
    },
    removeFolder(path) {
      const at = locate(path)
      const below = [...files.values()].filter(
        ({ at: file, after }) => after === null && file.root === at.root && file.rel.startsWith(`${at.rel}/`),
      )
      const last = below.at(-1)
      if (last === undefined)
        throw failure('execution_failed', `${at.display} holds no file, so there is nothing to record.`, {
          path: at.display,
        })
      files.set(last.at.absolute, { ...last, folders: [...last.folders, at.rel].toSorted() })
    },
    backupPath(path) {
      const at = locate(path)
      const staged = files.get(at.absolute)
      if (staged === undefined || staged.base === null || !staged.keepsBackup || !isChange(staged))
        return null
      return options.backupPathFor(at)
    },
    diff: () => [...files.values()].filter(isChange).map(diffOf).join(''),
  }
  return { edits, staged: () => [...files.values()].filter(isChange) }
}

/** The folders between a file and its root, innermost first. */
function foldersAbove(at: Located): readonly string[] {
  const above: string[] = []
  for (let rel = folderOf(at.rel); rel !== ''; rel = folderOf(rel)) above.push(absoluteOf(at.root.path, rel))
  return above
}

function clash(at: Located, absolute: string): ToolFailure {
  const message = `Cannot stage ${at.display}: ${absolute} would have to be a file and a folder at once.`
  return failure('execution_failed', message, { path: at.display }, ['Give one of the two another name.'])
}

/** A file that is not there yet has no owner and no mode of its own; a preview needs neither. */
function assumedBase(bytes: Uint8Array | null): Original | null {
  return bytes === null
    ? null
    : { bytes, digest: digest(bytes), mode: 0o644, uid: 0, gid: 0, hardLinks: 1, witness: null }
}

function readBase(at: Located, maxFileBytes: number): Original {
  const file = at.root.openFile(at.rel)
  try {
    // Before it is read: what changes meanwhile must not go unnoticed.
    const witness = witnessOf(file.stat)
    const bytes = file.readAll(maxFileBytes)
    const { mode, uid, gid, nlink } = file.stat
    return { bytes, digest: digest(bytes), mode, uid, gid, hardLinks: nlink, witness }
  } finally {
    file.close()
  }
}

function requireFreshBase(
  at: Located,
  base: Original,
  row: LedgerRow | null,
  place: IntendedPlace,
  options: StagingOptions,
): void {
  const file = at.display
  if (row === null || row.digest === null) {
    throw failure('stale_file', READ_FIRST, { file, reason: READ_FIRST }, [
      `Read ${file} first, then try again.`,
    ])
  }
  if (row.digest === base.digest) {
    if (place.mustHaveSeen !== undefined) requireShown(file, row, place.mustHaveSeen)
    return
  }
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
  throw failure('stale_file', CHANGED, details, [
    `Look at the lines of ${file} as they are now, then try again.`,
  ])
}

function diffOf({ at, base, after }: StagedFile): string {
  return unifiedDiff({ path: at.display, before: readable(base?.bytes ?? null), after: readable(after) })
}

function readable(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Nobody replaces lines by number that they have not been shown. */
function requireShown(file: string, { ranges }: LedgerRow, { start_line, end_line }: LineRange): void {
  if (ranges === null) return
  if (ranges.some((range) => range.start_line <= start_line && end_line <= range.end_line)) return
  const message = `${READ_FIRST}: lines ${start_line} to ${end_line} were not shown`
  throw failure('stale_file', message, { file, reason: READ_FIRST, lines: { start_line, end_line } }, [
    `Read those lines of ${file} first, or say in "expected" what you think they are.`,
  ])
}
