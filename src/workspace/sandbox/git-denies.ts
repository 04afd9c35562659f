/** What decides about running code or holds keys, wherever git keeps it. */
const SECRET = new Set(['config', 'config.lock', 'config.worktree', 'credentials', 'hooks'])
/** Folders of a repository in which it keeps others, each with all of this again. */
const NESTING = new Set(['modules', 'worktrees'])
/** The second is what Windows also calls the first. */
const GIT_NAMES = new Set(['.git', 'git~1'])

/** The pattern that keeps git's own folder, or the file that stands for it, from being written; takes a folded name. */
export function findGitWrite(last: string): string | null {
  return GIT_NAMES.has(last) ? '**/.git/**' : null
}

/** The pattern that keeps a part of git's own folder from being read; takes the folder above and a name, folded. */
export function findGitRead(folder: readonly string[], last: string): string | null {
  if (!SECRET.has(last)) return null
  const git = folder.findIndex((name) => GIT_NAMES.has(name))
  if (git === -1) return null
  if (git === folder.length - 1) return `**/.git/${last}`
  const within = folder[git + 1] ?? ''
  return NESTING.has(within) ? `**/.git/${within}/**/${last}` : null
}
