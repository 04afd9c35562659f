import { failure } from '../../core/error.ts'
import type { Files, OpenedFile, PeekedStart, SearchVisitor } from '../../core/powers.ts'
import { digest } from '../../host/system/hash.ts'
import { joinRel } from '../../host/root/rel-path.ts'
import type { OpenFile } from '../../host/root/root.ts'
import type { SeenFile } from '../../journal/entries/entry.ts'
import { asInEditor } from '../buffers/buffered-file.ts'
import type { FindUnsaved } from '../buffers/unsaved.ts'
import { isStoredPath, openStored } from '../landing/backups.ts'
import type { StoredFolders } from '../landing/backups.ts'
import { denied } from '../sandbox/sandbox.ts'
import type { Located, Sandbox } from '../sandbox/sandbox.ts'
import { shownLine, shownLinesKey } from '../staging/shown-lines.ts'
import { judgeBackup } from './judge-backup.ts'
import type { ChangedFile } from './judge-backup.ts'
import { readSmall, readStart, unlessRefused } from './read-small.ts'

/** What reading needs. */
export interface FilesOptions {
  readonly sandbox: Sandbox
  readonly note: (seen: SeenFile) => void
  readonly now: () => number
  readonly assertOpen: () => void
  /** Told what is read of files. */
  readonly onRead: (bytes: Uint8Array) => void
  readonly storedFolders: () => StoredFolders
  /** The files that a call of the session changed. */
  readonly changedBy: (execution: string) => readonly ChangedFile[]
  /** Finds unsaved texts of open buffers; null if no editor is there. */
  readonly findUnsaved: FindUnsaved | null
  /** Larger files are read from disk. */
  readonly maxUnsavedBytes: number
}

/** Creates read access to files; closing it closes every file it opened. */
export function createFiles(options: FilesOptions): {
  readonly files: Files
  readonly close: () => void
} {
  const { sandbox, note, now, assertOpen, storedFolders: findStored, changedBy } = options
  const { findUnsaved, maxUnsavedBytes, onRead } = options
  const open = new Set<{ readonly close: () => void }>()
  /** Where files lie that a search has opened: looking for each of them again would take as long as searching it. */
  const searched = new Map<string, string>()

  function locate(path: string, intent: 'read' | 'list'): Located {
    assertOpen()
    return sandbox.locate(path, intent)
  }

  const isDenied = (at: Located, exactPath: string): boolean =>
    sandbox.findDeny(at.root, joinRel(at.rel, exactPath), 'list') !== null

  const find = (path: string): Located | null => unlessRefused(() => locate(path, 'list'))

  const read: Files['peek'] = (path, maxBytes) =>
    unlessRefused(() => {
      const at = locate(path, 'read')
      return at.kind === 'file' ? readSmall(at.root, at.rel, maxBytes) : null
    })

  /** A missing path has nothing to protect, and this check takes half as long as locating the path. */
  const isMissing = (path: string): boolean => {
    assertOpen()
    const look = (): boolean => sandbox.roots[0].stat(path) === null
    return !path.startsWith('/') && unlessRefused(look) === true
  }

  const files: Files = {
    open(path) {
      if (isStoredPath(path)) {
        assertOpen()
        const backedUp = judgeBackup(path, sandbox, changedBy)
        refuseDeniedName(path, sandbox)
        const stored = openStored(findStored(), path, backedUp)
        open.add(stored)
        // Nothing of the workspace was shown, so the ledger gets no entry.
        return presentFile(stored, { display: path, absolute: path }, () => undefined, options)
      }
      const at = locate(path, 'read')
      const file = at.root.openFile(at.rel)
      open.add(file)
      const shown = findUnsaved === null ? file : asInEditor(file, at.absolute, findUnsaved, maxUnsavedBytes)
      return presentFile(shown, at, note, options)
    },
    stat(path) {
      const at = locate(path, 'read')
      return at.root.stat(at.rel)
    },
    walk(path, visit, pass) {
      const at = requireFolder(locate(path, 'list'))
      at.root.walk(at.rel, (entry) => {
        const isNameless = pass !== undefined && entry.path !== entry.exactPath
        if (!isNameless && !isDenied(at, entry.exactPath)) return visit(entry)
        pass?.(entry.path)
        return 'pass'
      })
    },
    startWalk(path, { showsDenied = false } = {}) {
      const at = requireFolder(locate(path, 'list'))
      const walk = at.root.startWalk(at.rel, 'path')
      open.add(walk)
      return {
        next() {
          let entry = walk.next()
          const isLeftOut = (one: NonNullable<typeof entry>): boolean =>
            !(showsDenied && one.kind === 'file') && isDenied(at, one.exactPath)
          while (entry !== null && isLeftOut(entry)) entry = walk.next()
          return entry
        },
        enter: () => walk.enter(),
        holds: (name) => walk.holds(name),
        close() {
          walk.close()
          open.delete(walk)
        },
      }
    },
    follow(path) {
      if (isMissing(path)) return null
      return unlessRefused(() => {
        const at = locate(path, 'read')
        const stat = at.kind === 'missing' ? null : at.root.stat(at.rel)
        return stat === null ? null : { path: at.display, place: at.absolute, ...stat }
      })
    },
    peek(path, maxBytes) {
      const bytes = isMissing(path) ? null : read(path, maxBytes)
      if (bytes !== null) onRead(bytes)
      return bytes
    },
    peekStart(path, maxBytes) {
      if (isMissing(path)) return { is: 'missing' }
      const found = unlessRefused((): PeekedStart => {
        const at = locate(path, 'read')
        if (at.kind === 'missing') return { is: 'missing' }
        return at.kind === 'file' ? readStart(at.root, at.rel, maxBytes) : { is: 'refused' }
      })
      return found ?? { is: 'refused' }
    },
    async search(request, visitor) {
      // Loaded on demand: most calls start no program and no thread.
      const { searchFiles } = await import('./search.ts')
      const noteAndOpen: SearchVisitor['open'] = (path, bytes, place) => {
        if (place !== undefined) searched.set(path, place)
        onRead(bytes)
        return visitor.open(path, bytes)
      }
      await searchFiles({ sandbox, locate: find, peek: read }, request, {
        ...visitor,
        open: noteAndOpen,
      })
    },
    sawLines(path, lines) {
      assertOpen()
      // A file that was moved away since it was searched needs no note.
      const place = searched.get(path) ?? unlessRefused(() => locate(path, 'read'))?.absolute
      if (place === undefined) return
      const shown = lines.map(({ line, text }) => shownLine(line, text))
      note({ path: shownLinesKey(place), digest: null, at: now(), range: null, shown })
    },
    async expand(request) {
      assertOpen()
      const { expandMatches } = await import('../../host/search/expand-matches.ts')
      return expandMatches(request)
    },
    async outline(request) {
      assertOpen()
      const { outlineText } = await import('../../host/search/syntax-outline.ts')
      return outlineText(request)
    },
  }
  const close = (): void => {
    for (const file of open) file.close()
    open.clear()
  }
  return { files, close }
}

function requireFolder(at: Located): Located {
  if (at.kind === 'missing')
    throw failure('execution_failed', `path does not exist: ${at.display}`, { path: at.display }, [
      'Check the spelling, or list the folder above it.',
    ])
  if (at.kind !== 'dir')
    throw failure('execution_failed', `path is not a directory: ${at.display}`, { path: at.display }, [
      'List the folder it is in, or read it with read_file.',
    ])
  return at
}

function presentFile(
  file: OpenFile,
  at: Pick<Located, 'display' | 'absolute'>,
  note: (entry: SeenFile) => void,
  { now, onRead }: Pick<FilesOptions, 'now' | 'onRead'>,
): OpenedFile {
  let whole: Uint8Array | null = null
  return {
    path: at.display,
    size: file.stat.size,
    modifiedMs: file.stat.modifiedMs,
    readAt(position, length) {
      const buffer = new Uint8Array(Math.min(length, Math.max(0, file.stat.size - position)))
      let have = 0
      while (have < buffer.length) {
        const got = file.read(buffer, have, buffer.length - have, position + have)
        if (got === 0) break
        have += got
      }
      onRead(buffer.subarray(0, have))
      return buffer.subarray(0, have)
    },
    readAll(maxBytes) {
      whole = file.readAll(maxBytes)
      onRead(whole)
      return whole
    },
    saw: (range) =>
      note({ path: at.absolute, digest: whole === null ? null : digest(whole), at: now(), range }),
  }
}

/** A name that is denied in the workspace is denied in the folder of a skill as well. */
function refuseDeniedName(path: string, sandbox: Sandbox): void {
  if (!path.startsWith('tongs:skills/')) return
  const pattern = sandbox.findDenyOutside(`/${path.slice('tongs:'.length)}`, 'read')
  if (pattern !== null) throw denied(path, pattern)
}
