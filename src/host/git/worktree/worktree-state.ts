import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { ToolFailure } from '../../../core/error.ts'
import { readRegular } from '../../confine/inspect-path.ts'
import { homeFolder } from '../../fs/folders.ts'
import { exactName, systemName } from '../../root/exact-name.ts'
import { openRoot } from '../../root/open-root.ts'
import { folderOf } from '../../root/rel-path.ts'
import { hasOddPart } from '../../root/resolve-links.ts'
import type { Root } from '../../root/root.ts'
import { createPause } from '../../system/clock.ts'
import { runWithPauses } from '../../system/steps.ts'
import { isBlob } from '../find-uncommitted.ts'
import { repositoryAt } from '../find-repositories.ts'
import { PATH_MAX } from '../../way/follow-way.ts'
import { MAX_INDEX_BYTES } from '../git-index.ts'
import { HASH_SIZES, STAT_BYTES, visitIndex } from '../index-entries.ts'
import { runGit } from '../run-git.ts'
import { findForeignRepository } from './own-repository.ts'

/** The branch of a work tree, and how many tracked files differ from its newest commit. */
export interface WorktreeState {
  /** Null if no branch is checked out. */
  readonly branch: string | null
  /** Null if it could not be found out quickly. */
  readonly changed: number | null
}

/** A repository with more files is not compared. */
const MAX_ENTRIES = 20_000
/** A larger file whose time changed counts as changed, without being read. */
const MAX_HASHED_BYTES = 1024 ** 2
const TIMEOUT_MS = 2_000
/** A person waits for it, and what it tells is not worth more. */
const COMPARE_MS = 1_000

/**
 * The state of the repository at a folder, or null if there is none. Git never reads the files itself: that would run
 * programs that the repository may have configured for reading them.
 */
export async function readWorktreeState(
  folder: string,
  { compareMs = COMPARE_MS }: { readonly compareMs?: number } = {},
): Promise<WorktreeState | null> {
  const repository = repositoryAt(folder)
  if (repository === null || repository.gitFolder === folder) return null
  if (findForeignRepository(folder, homeFolder(process.env)) !== null) return null
  const head = readRegular(join(repository.gitFolder, 'HEAD'), 4_096)?.toString('utf8').trim() ?? ''
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
  const indexed = readIndexed(join(repository.gitFolder, 'index'))
  const touched = indexed === null ? null : await findTouched(folder, indexed, compareMs)
  if (touched === null) return { branch, changed: null }
  const args = ['diff-index', '--cached', '--name-only', '-z', 'HEAD']
  const staged = await runGit({ folder, timeoutMs: TIMEOUT_MS }, args)
  if (!staged.ok) return { branch, changed: null }
  const names = staged.stdout.split('\0').filter((name) => name !== '')
  return { branch, changed: new Set([...touched, ...names]).size }
}

interface IndexedFile {
  readonly path: string
  readonly seconds: number
  readonly nanoseconds: number
  readonly size: number
  readonly blob: string
}

/** The tracked files as the index has them; null if that cannot be told. */
function readIndexed(indexFile: string): readonly IndexedFile[] | null {
  const bytes = readRegular(indexFile, MAX_INDEX_BYTES)
  if (bytes === null || (bytes.length > 12 && bytes.readUInt32BE(8) > MAX_ENTRIES)) return null
  for (const hashBytes of HASH_SIZES) {
    const files: IndexedFile[] = []
    let isOddName = false
    const end = visitIndex(bytes, hashBytes, ({ at, name, nameBytes }) => {
      if ((bytes.readUInt32BE(at + 24) & 0o170000) !== 0o100000) return
      if (nameBytes > PATH_MAX) {
        isOddName = true
        return
      }
      files.push({
        path: exactName(name().toString('latin1')),
        seconds: bytes.readUInt32BE(at + 8),
        nanoseconds: bytes.readUInt32BE(at + 12),
        size: bytes.readUInt32BE(at + 36),
        blob: bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + hashBytes),
      })
    })
    if (end === undefined) continue
    // Anyone can write an index, and git itself never writes such a path.
    const isOdd = isOddName || files.some(({ path }) => path.startsWith('/') || hasOddPart(path))
    return end.shared === null && !isOdd ? files : null
  }
  return null
}

/** The tracked files that are not as the index has them; null if comparing them takes too long. */
async function findTouched(
  folder: string,
  files: readonly IndexedFile[],
  compareMs: number,
): Promise<readonly string[] | null> {
  const until = performance.now() + compareMs
  const root = openRoot(folder)
  const pause = createPause()
  function* compare(): Generator<null, readonly string[] | null> {
    const touched: string[] = []
    for (const file of files) {
      if (performance.now() >= until) return null
      if (isTouched(root, file)) touched.push(file.path)
      yield null
    }
    return touched
  }
  try {
    return await runWithPauses(compare(), () => pause(false))
  } finally {
    root.close()
  }
}

function isTouched(root: Root, { path, seconds, nanoseconds, size, blob }: IndexedFile): boolean {
  try {
    const found = root.lendFolder(folderOf(path), (above) =>
      lstatSync(systemName(`${above}/${path.slice(path.lastIndexOf('/') + 1)}`), {
        bigint: true,
        throwIfNoEntry: false,
      }),
    )
    if (found === undefined || !found.isFile()) return true
    if (Number(BigInt.asUintN(32, found.size)) !== size) return true
    if (found.mtimeNs === BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)) return false
    return size > MAX_HASHED_BYTES || !isBlob(readWhole(root, path, size), blob)
  } catch (thrown) {
    // Gone, or below a link: git calls that changed too.
    if (thrown instanceof ToolFailure) return true
    throw thrown
  }
}

function readWhole(root: Root, path: string, size: number): Uint8Array {
  const file = root.openFile(path)
  try {
    return file.readAll(size)
  } finally {
    file.close()
  }
}
