import { hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../../confine/inspect-path.ts'
import { repositoryAt } from '../find-repositories.ts'
import { MAX_INDEX_BYTES } from '../git-index.ts'
import { HASH_SIZES, STAT_BYTES, visitIndex } from '../index-entries.ts'
import { runGit } from '../run-git.ts'

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

/**
 * The state of the repository at a folder, or null if there is none. Git never reads the files itself: that would run
 * programs that the repository may have configured for reading them.
 */
export async function readWorktreeState(folder: string): Promise<WorktreeState | null> {
  const repository = repositoryAt(folder)
  if (repository === null || repository.gitFolder === folder) return null
  const head = readRegular(join(repository.gitFolder, 'HEAD'), 4_096)?.toString('utf8').trim() ?? ''
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? null
  const touched = findTouched(folder, join(repository.gitFolder, 'index'))
  if (touched === null) return { branch, changed: null }
  const args = ['diff-index', '--cached', '--name-only', '-z', 'HEAD']
  const staged = await runGit({ folder, timeoutMs: TIMEOUT_MS }, args)
  if (!staged.ok) return { branch, changed: null }
  const names = staged.stdout.split('\0').filter((name) => name !== '')
  return { branch, changed: new Set([...touched, ...names]).size }
}

/** The tracked files that are not as the index has them; null if that cannot be told. */
function findTouched(folder: string, indexFile: string): readonly string[] | null {
  const bytes = readRegular(indexFile, MAX_INDEX_BYTES)
  if (bytes === null || (bytes.length > 12 && bytes.readUInt32BE(8) > MAX_ENTRIES)) return null
  for (const hashBytes of HASH_SIZES) {
    const touched: string[] = []
    const end = visitIndex(bytes, hashBytes, ({ at, name }) => {
      const path = name().toString('utf8')
      const entry = {
        seconds: bytes.readUInt32BE(at + 8),
        nanoseconds: bytes.readUInt32BE(at + 12),
        isFile: (bytes.readUInt32BE(at + 24) & 0o170000) === 0o100000,
        size: bytes.readUInt32BE(at + 36),
        blob: bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + hashBytes),
      }
      if (entry.isFile && isTouched(join(folder, path), entry)) touched.push(path)
    })
    if (end !== undefined) return end.shared === null ? touched : null
  }
  return null
}

interface IndexedFile {
  readonly seconds: number
  readonly nanoseconds: number
  readonly size: number
  readonly blob: string
}

function isTouched(path: string, { seconds, nanoseconds, size, blob }: IndexedFile): boolean {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined || !found.isFile()) return true
  if (Number(BigInt.asUintN(32, found.size)) !== size) return true
  if (found.mtimeNs === BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)) return false
  const bytes = size > MAX_HASHED_BYTES ? null : readRegular(path, MAX_HASHED_BYTES)
  if (bytes === null) return true
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
  return hash(blob.length === 64 ? 'sha256' : 'sha1', whole, 'hex') !== blob
}
