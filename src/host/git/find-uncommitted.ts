import { hash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runGit } from './run-git.ts'
import type { GitRepository } from './run-git.ts'

/** A file as it is on disk. */
export interface FileOnDisk {
  /** Absolute. */
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * The files that differ from a repository's newest commit. Git never reads the files itself: that would run programs
 * that the repository may have configured for reading them.
 */
export async function findUncommitted(
  repository: GitRepository,
  files: readonly FileOnDisk[],
  committed: CommittedNames,
): Promise<readonly string[]> {
  const differing = files.filter(({ path, bytes }) => {
    const blob = committed.get(relative(repository.folder, path))
    return blob !== undefined && !isBlob(bytes, blob)
  })
  if (differing.length === 0) return []
  const clean = await findClean(repository, differing, committed)
  return differing.filter(({ path }) => !clean.has(path)).map(({ path }) => path)
}

/** Whether these bytes are the blob that git stores under a name, also with the line endings of another system. */
export function isBlob(bytes: Uint8Array, name: string): boolean {
  if (blobName(bytes, name.length) === name) return true
  const text = Buffer.from(bytes).toString('latin1')
  if (!text.includes('\r\n')) return false
  return blobName(Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1'), name.length) === name
}

function blobName(bytes: Uint8Array, digits: number): string {
  const whole = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes])
  return hash(digits === 64 ? 'sha256' : 'sha1', whole, 'hex')
}

/** Files that differ only because git stores them in another form: the index lists them as unchanged and committed. */
async function findClean(
  repository: GitRepository,
  files: readonly FileOnDisk[],
  committed: CommittedNames,
): Promise<ReadonlySet<string>> {
  const clean = new Set<string>()
  for (const { path } of files) {
    const name = relative(repository.folder, path)
    const listed = await runGit(repository, ['ls-files', '--stage', '--debug', '--', name])
    const entry = listed.ok ? readEntry(listed.stdout) : null
    const found = lstatSync(join(repository.folder, name), { bigint: true, throwIfNoEntry: false })
    if (entry === null || found === undefined || entry.blob !== committed.get(name)) continue
    if (entry.mtimeNs === found.mtimeNs && entry.size === found.size) clean.add(path)
  }
  return clean
}

function readEntry(
  text: string,
): { readonly blob: string; readonly mtimeNs: bigint; readonly size: bigint } | null {
  const blob = /^\d{6} ([\da-f]+) 0\t/.exec(text)?.[1]
  const mtime = /^ {2}mtime: (\d+):(\d+)$/m.exec(text)
  const size = /^ {2}size: (\d+)\t/m.exec(text)?.[1]
  if (blob === undefined || mtime === null || size === undefined) return null
  return {
    blob,
    mtimeNs: BigInt(mtime[1] ?? 0) * 1_000_000_000n + BigInt(mtime[2] ?? 0),
    size: BigInt(size),
  }
}

/** The blob names in a repository's newest commit, by path. */
export type CommittedNames = ReadonlyMap<string, string>

/**
 * Looks up what the newest commit holds at some paths; null if there is no commit or no git, and a text if git was given
 * up, as the end of a sentence.
 */
export type LookUpCommitted = (
  repository: GitRepository,
  /** Changes with every commit; null if nothing may be cached. */
  version: string | null,
  paths: readonly string[],
) => Promise<CommittedNames | string | null>

interface CommitCache {
  readonly version: string
  /** Null until the second lookup. */
  all: CommittedNames | null
  isTooLarge: boolean
}

/** Lists single paths first, and the whole commit from the second lookup on: starting git costs more than reading. */
export function createCommittedNames(): LookUpCommitted {
  const caches = new Map<string, CommitCache>()
  return async (repository, version, paths) => {
    const cache = version === null ? undefined : caches.get(repository.folder)
    if (cache === undefined || cache.version !== version) {
      if (version !== null) caches.set(repository.folder, { version, all: null, isTooLarge: false })
      return list(repository, paths)
    }
    if (cache.all === null && !cache.isTooLarge) {
      const listed = await list(repository, null)
      cache.all = typeof listed === 'string' ? null : listed
      cache.isTooLarge = cache.all === null
    }
    return cache.all ?? list(repository, paths)
  }
}

async function list(
  repository: GitRepository,
  paths: readonly string[] | null,
): Promise<CommittedNames | string | null> {
  const which = paths === null ? ['-r', 'HEAD'] : ['HEAD', '--', ...paths]
  const end = await runGit(repository, ['ls-tree', '-z', '--full-tree', ...which])
  if (end.ok) return readNames(end.stdout)
  return end.isGivenUp === true ? end.why : null
}

/** Parses `mode type name<TAB>path` of each entry, and takes only files. */
function readNames(listed: string): CommittedNames {
  const found = new Map<string, string>()
  for (const row of listed.split('\0')) {
    const tab = row.indexOf('\t')
    const [mode = '', type, name = ''] = row.slice(0, Math.max(0, tab)).split(' ')
    if (type === 'blob' && mode.startsWith('100')) found.set(row.slice(tab + 1), name)
  }
  return found
}
