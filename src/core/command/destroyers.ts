/** Describes what a program would destroy with these arguments, or returns null. */
type Judge = (args: readonly string[]) => string | null

const always =
  (what: string): Judge =>
  () =>
    what

/** True if an option is given, including in a cluster of short ones, or abbreviated as most programs allow. */
function hasOption(args: readonly string[], short: string, ...long: readonly string[]): boolean {
  const cluster = short === '' ? null : new RegExp(`^-[A-Za-z0-9]*[${short}]`)
  return args.some((word) => {
    if (!word.startsWith('--')) return cluster?.test(word) === true
    const [name = ''] = word.split('=', 1)
    return name.length > 3 && long.some((option) => option.startsWith(name))
  })
}

/**
 * True if an option that makes a command harmless is definitely given: in full, or as a letter among options without
 * values.
 */
function hasSafeguard(args: readonly string[], option: string, short: string, alone: string): boolean {
  const end = args.indexOf('--')
  const cluster = new RegExp(`^-[${alone}]*${short}[${alone}]*$`)
  return args.slice(0, end === -1 ? undefined : end).some((word) => word === option || cluster.test(word))
}

const changesTree: Judge = (args) =>
  hasOption(args, 'R', '--recursive') ? 'changes the permissions of a whole tree of files' : null

const unlessKeeping: Judge = (args) =>
  hasSafeguard(args, '--no-clobber', 'n', 'nuvTZ') && !hasOption(args, 'fi', '--force', '--interactive')
    ? null
    : 'may overwrite existing files'

const ifForced: Judge = (args) =>
  hasOption(args, 'f', '--force', '--remove-destination') ? 'overwrites existing files' : null

const editsInPlace: Judge = (args) => (hasOption(args, 'i', '--in-place') ? 'changes files in place' : null)

/** The words after git's own options; an option with a value takes the next word too. */
function gitCommand(args: readonly string[]): readonly string[] {
  let at = 0
  while (at < args.length && args[at]?.startsWith('-') === true) {
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(args[at] ?? '') ? 2 : 1
  }
  return args.slice(at)
}

const GIT: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['reset', (args) => (hasOption(args, '', '--hard', '--merge') ? 'discards uncommitted changes' : null)],
  [
    'clean',
    (args) =>
      hasOption(args, 'f', '--force') && !hasSafeguard(args, '--dry-run', 'n', 'nfdxXq')
        ? 'removes untracked files'
        : null,
  ],
  [
    'checkout',
    (args) =>
      hasOption(args, 'f', '--force') || args.includes('--') || args.includes('.')
        ? 'discards uncommitted changes'
        : null,
  ],
  ['restore', (args) => (isStagedOnly(args) ? null : 'discards uncommitted changes')],
  [
    'switch',
    (args) => (hasOption(args, 'f', '--force', '--discard-changes') ? 'discards uncommitted changes' : null),
  ],
  ['branch', (args) => (hasOption(args, 'DMd', '--delete') ? 'removes a branch' : null)],
  ['tag', (args) => (hasOption(args, 'df', '--delete', '--force') ? 'removes or moves a tag' : null)],
  ['stash', (args) => (args[0] === 'drop' || args[0] === 'clear' ? 'drops stashed changes' : null)],
  [
    'reflog',
    (args) => (args[0] === 'expire' || args[0] === 'delete' ? 'drops commits that could be recovered' : null),
  ],
  ['gc', (args) => (hasOption(args, '', '--prune') ? 'drops commits that could be recovered' : null)],
  ['worktree', (args) => (args[0] === 'remove' ? 'removes a worktree' : null)],
  ['update-ref', (args) => (hasOption(args, 'd') ? 'removes a reference' : null)],
  ['rm', always('removes files')],
  ['filter-branch', always('rewrites history')],
  ['filter-repo', always('rewrites history')],
  ['prune', always('drops commits that could be recovered')],
])

function isStagedOnly(args: readonly string[]): boolean {
  return hasSafeguard(args, '--staged', 'S', 'Sqp') && !hasOption(args, 'W', '--worktree')
}

const git: Judge = (args) => {
  const [command = '', ...rest] = gitCommand(args)
  const output = rest.some((word) => word.startsWith('--outp')) ? 'overwrites a file' : null
  return GIT.get(command)?.(rest) ?? output
}

/**
 * Programs that can destroy files of the workspace, by name. This table is not a security boundary: it only raises the risk that the
 * approver is shown.
 */
export const DESTROYERS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['rm', (args) => (hasOption(args, 'rR', '--recursive') ? 'removes whole trees of files' : 'removes files')],
  ['unlink', always('removes a file')],
  ['rmdir', always('removes a folder')],
  ['shred', always('destroys the contents of files')],
  ['truncate', always('truncates files')],
  ['dd', always('overwrites files or devices')],
  ['chmod', changesTree],
  ['chown', changesTree],
  ['chgrp', changesTree],
  ['mv', unlessKeeping],
  ['cp', ifForced],
  ['ln', ifForced],
  ['tee', (args) => (hasSafeguard(args, '--append', 'a', 'aip') ? null : 'overwrites the files it is given')],
  ['sed', editsInPlace],
  ['perl', editsInPlace],
  ['find', (args) => (args.includes('-delete') ? 'removes what it finds' : null)],
  ['rsync', (args) => (args.some((word) => /^--(?:delete|remove)/.test(word)) ? 'removes files' : null)],
  ['git', git],
])

const pushes: Judge = (args) =>
  hasOption(args, 'fd', '--force', '--force-with-lease', '--delete', '--mirror', '--prune') ||
  args.some((word) => /^[+:]./.test(word))
    ? 'overwrites or removes commits that others may have'
    : null

/** Programs that destroy what only a command without a sandbox reaches: processes, devices, other machines. */
export const OUT_OF_REACH: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ['mkfs', always('formats a device')],
  ['mkswap', always('formats a device')],
  ['wipefs', always('formats a device')],
  ['fdisk', always('changes partitions')],
  ['sfdisk', always('changes partitions')],
  ['parted', always('changes partitions')],
  ['kill', always('ends processes')],
  ['killall', always('ends processes')],
  ['pkill', always('ends processes')],
  ['shutdown', always('stops the machine')],
  ['reboot', always('stops the machine')],
  ['halt', always('stops the machine')],
  ['poweroff', always('stops the machine')],
  ['crontab', (args) => (hasOption(args, 'r') ? 'removes scheduled jobs' : null)],
  [
    'git',
    (args) => {
      const [command, ...rest] = gitCommand(args)
      return command === 'push' ? pushes(rest) : null
    },
  ],
])
