import { failure } from '../core/error.ts'
import type { Files, OpenedFile } from '../core/powers.ts'
import { digest } from '../host/hash.ts'
import { joinRel } from '../host/root/rel-path.ts'
import type { OpenFile } from '../host/root/root.ts'
import type { SeenFile } from '../journal/entry.ts'
import { isKeptPath, openKept } from './backups.ts'
import type { Located, Sandbox } from './sandbox.ts'

/** What reading needs. */
export interface FilesOptions {
  readonly sandbox: Sandbox
  readonly note: (seen: SeenFile) => void
  readonly now: () => number
  readonly assertOpen: () => void
  readonly backupFolder: string
}

/** Hands out the power to read; every file it opened is closed with it. */
export function createFiles({ sandbox, note, now, assertOpen, backupFolder }: FilesOptions): {
  readonly files: Files
  readonly close: () => void
} {
  const open = new Set<OpenFile>()

  function locate(path: string, intent: 'read' | 'list'): Located {
    assertOpen()
    return sandbox.locate(path, intent)
  }

  const files: Files = {
    open(path) {
      if (isKeptPath(path)) {
        assertOpen()
        const kept = openKept(backupFolder, path)
        open.add(kept)
        // Nothing in the workspace was shown, so the ledger learns nothing.
        return presentFile(kept, { display: path, absolute: path }, () => undefined, now)
      }
      const at = locate(path, 'read')
      const file = at.root.openFile(at.rel)
      open.add(file)
      return presentFile(file, at, note, now)
    },
    stat(path) {
      const at = locate(path, 'read')
      return at.root.stat(at.rel)
    },
    walk(path, visit) {
      const at = locate(path, 'list')
      if (at.kind === 'missing')
        throw failure('execution_failed', `path does not exist: ${at.display}`, { path: at.display })
      if (at.kind !== 'dir')
        throw failure('execution_failed', `path is not a directory: ${at.display}`, { path: at.display })
      at.root.walk(at.rel, (entry) => {
        const isDenied = sandbox.findDeny(at.root, joinRel(at.rel, entry.exactPath), 'list') !== null
        return isDenied ? 'pass' : visit(entry)
      })
    },
  }
  const close = (): void => {
    for (const file of open) file.close()
    open.clear()
  }
  return { files, close }
}

function presentFile(
  file: OpenFile,
  at: Pick<Located, 'display' | 'absolute'>,
  note: (entry: SeenFile) => void,
  now: () => number,
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
      return buffer.subarray(0, have)
    },
    readAll(maxBytes) {
      whole = file.readAll(maxBytes)
      return whole
    },
    saw: (range) =>
      note({ path: at.absolute, digest: whole === null ? null : digest(whole), at: now(), range }),
  }
}
