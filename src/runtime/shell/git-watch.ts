import type { Settings } from '../../config/keys.ts'
import type { LookUpCommitted } from '../../host/git/find-uncommitted.ts'
import { findRepository, repositoryVersion } from '../../host/git/run-git.ts'
import type { GitRepository } from '../../host/git/run-git.ts'
import { digest } from '../../host/system/hash.ts'
import type { FileChange, StoredEntry } from '../../journal/entries/entry.ts'
import type { StagedContent } from '../../workspace/staging/staged-content.ts'

/** Warns about uncommitted changes before an edit, and stages files after it. */
export interface GitWatch {
  /** A warning for each file with uncommitted changes that Tongs did not make. */
  readonly warn: (staged: readonly StagedContent[]) => Promise<readonly string[]>
  /** Records what has landed, so that it is not taken for someone else's changes. */
  readonly noteLanded: (changes: readonly FileChange[]) => void
  /** Stages what has landed if that is configured; returns what could not be staged. */
  readonly stage: (changes: readonly FileChange[]) => Promise<readonly string[]>
}

/** Watches a workspace's git repositories. Without git or a repository there are no warnings. */
export function watchGit(
  settings: Settings,
  roots: readonly string[],
  history: () => Iterable<StoredEntry>,
): GitWatch {
  /** By path, the digest of what we wrote there last. */
  const ours = new Map<string, string>()

  const gitAt = (folder: string): GitRepository => ({
    folder,
    timeoutMs: settings['tools.git.timeout_seconds'] * 1000,
  })

  const rootOf = (path: string): string | undefined =>
    roots.find((root) => path === root || path.startsWith(root === '/' ? '/' : `${root}/`))

  const repositoryOf = (path: string): string | null => {
    const root = rootOf(path)
    return root === undefined ? null : findRepository(path, root)
  }

  function isOurs({ path, content }: Candidate): boolean {
    if (ours.get(path) === content) return true
    for (const { entry } of history()) {
      if (entry.kind !== 'settled' && entry.kind !== 'undo' && entry.kind !== 'redo') continue
      for (const change of entry.changes)
        if (change.after?.digest === content && pathOf(change) === path) return true
    }
    return false
  }

  const findForeign = createForeignCheck(gitAt, isOurs)

  return {
    async warn(staged) {
      if (!settings['tools.git.warn']) return []
      const candidates = staged.flatMap((file): readonly Candidate[] => {
        const { path, absolute, before, isAssumed } = file
        if (before === null || isAssumed) return []
        const content = file.beforeDigest ?? digest(before)
        return ours.get(absolute) === content
          ? []
          : [{ display: path, path: absolute, bytes: before, content }]
      })
      const grouped = Map.groupBy(candidates, ({ path }) => repositoryOf(path))
      const notes: string[] = []
      for (const [repository, files] of grouped) {
        if (repository === null) continue
        const { foreign, unknown } = await findForeign(repository, files)
        if (unknown !== null)
          notes.push(
            `whether ${files.map(({ display }) => display).join(', ')} had uncommitted changes is unknown: ${unknown}`,
          )
        for (const { display } of foreign)
          notes.push(
            `${display} has uncommitted changes that were not made here; this edit goes on top of them`,
          )
      }
      return notes
    },
    noteLanded(changes) {
      for (const change of changes) {
        if (change.after === null) ours.delete(pathOf(change))
        else ours.set(pathOf(change), change.after.digest)
      }
      if (ours.size > MAX_KNOWN) ours.clear()
    },
    async stage(changes) {
      if (!settings['tools.git.stage'] || changes.length === 0) return []
      const grouped = Map.groupBy(changes.map(pathOf), repositoryOf)
      const faults: string[] = []
      const { stageFiles } = await import('../../host/git/stage-files.ts')
      for (const [repository, paths] of grouped)
        if (repository !== null) faults.push(...(await stageFiles(gitAt(repository), paths)))
      return faults
    },
  }
}

/** Files with uncommitted changes that are not ours, and why it is unknown of the others if git was given up. */
interface ForeignFiles {
  readonly foreign: readonly Candidate[]
  readonly unknown: string | null
}

/** Finds the files of a repository with uncommitted changes that are not ours. Asks git once about each content. */
function createForeignCheck(
  gitAt: (folder: string) => GitRepository,
  isOurs: (file: Candidate) => boolean,
): (repository: string, files: readonly Candidate[]) => Promise<ForeignFiles> {
  /** Answers by path and content, valid until something is staged or committed. */
  const known = new Map<string, { readonly version: string; readonly isForeign: boolean }>()
  let lookUp: LookUpCommitted | null = null

  async function find(
    repository: string,
    version: string | null,
    files: readonly Candidate[],
  ): Promise<readonly string[] | string> {
    // Loaded late: most commands touch no file that git has to be asked about.
    const { createCommittedNames } = await import('../../host/git/find-uncommitted.ts')
    const { findUncommitted } = await import('../../host/git/find-uncommitted.ts')
    lookUp ??= createCommittedNames()
    const names = files.map(({ path }) => path.slice(repository === '/' ? 1 : repository.length + 1))
    const git = gitAt(repository)
    const committed = await lookUp(git, version, names)
    if (committed === null || typeof committed === 'string') return committed ?? []
    return findUncommitted(git, files, committed)
  }

  return async (repository, files) => {
    const version = repositoryVersion(repository)
    const isKnown = (file: Candidate): boolean =>
      version !== null && known.get(keyOf(file))?.version === version
    const unknown = files.filter((file) => !isKnown(file))
    const found = unknown.length === 0 ? [] : await find(repository, version, unknown)
    const changed = new Set(typeof found === 'string' ? [] : found)
    if (known.size > MAX_KNOWN) known.clear()
    const foreign = files.filter((file) => {
      const isForeign = isKnown(file)
        ? known.get(keyOf(file))?.isForeign === true
        : changed.has(file.path) && !isOurs(file)
      if (version !== null) known.set(keyOf(file), { version, isForeign })
      return isForeign
    })
    return { foreign, unknown: typeof found === 'string' ? found : null }
  }
}

const MAX_KNOWN = 10_000

interface Candidate {
  readonly display: string
  readonly path: string
  readonly bytes: Uint8Array
  readonly content: string
}

function keyOf({ path, content }: Candidate): string {
  return `${path}\0${content}`
}

function pathOf({ root, path }: FileChange): string {
  return root === '/' ? `/${path}` : `${root}/${path}`
}
