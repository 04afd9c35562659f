import type { ParsedLine } from './arguments.ts'
import type { CommandName } from './command-table.ts'
import { UsageError } from './errors.ts'

/** What a command does with `--dry-run`: it shows what would happen, only reads anyway, or has none. */
type DryRun = 'shows' | 'reads' | NoDryRun

interface NoDryRun {
  /** What shows beforehand what the command would do. */
  readonly instead: string
  /** Whether a line changes something; every line does if this is absent. */
  readonly changes?: (line: ParsedLine) => boolean
}

const begins =
  (...words: readonly (string | undefined)[]) =>
  ({ words: [first] }: ParsedLine): boolean =>
    words.includes(first)

const PENDING: NoDryRun = { instead: 'tongs pending shows what would run' }

/** Every command has its row, so that none takes the option and changes something all the same. */
const DRY_RUNS: Readonly<Record<CommandName, DryRun>> = {
  app: { instead: 'tongs run and tongs call have one' },
  call: 'shows',
  batch: 'shows',
  run: 'shows',
  setup: { instead: 'tongs doctor shows which model is configured' },
  sessions: { instead: 'tongs sessions lists them', changes: begins('rename', 'fork') },
  recover: {
    instead: 'tongs recover alone shows what was interrupted',
    changes: (line) => line.has('--resume') || line.has('--discard'),
  },
  pending: 'reads',
  approve: PENDING,
  deny: PENDING,
  undo: 'shows',
  redo: 'shows',
  log: 'reads',
  why: 'reads',
  stats: 'reads',
  audit: 'reads',
  adopt: { instead: 'tongs log --root OLD shows what would be adopted' },
  repair: { instead: 'tongs audit verify shows what is wrong' },
  forget: { instead: 'tongs log shows what is recorded' },
  tools: 'reads',
  config: 'reads',
  trust: { instead: 'tongs doctor says whether the file is trusted' },
  rules: 'reads',
  policy: 'shows',
  grants: { instead: 'tongs grants lists what can be revoked', changes: begins('revoke') },
  tasks: 'reads',
  doctor: 'reads',
  mcp: { instead: 'tongs mcp list shows the servers', changes: begins(undefined, 'login', 'logout') },
  acp: { instead: 'tongs run and tongs call have one' },
  completion: 'reads',
  demo: { instead: 'it works in a temporary folder of its own' },
}

/** Rejects `--dry-run` where it would be passed over: whoever gives it relies on nothing being changed. */
export function requireDryRun(line: ParsedLine): void {
  if (!line.has('--dry-run')) return
  // The parser only accepts commands of the table.
  const { name } = line.command
  const found = DRY_RUNS[name as CommandName]
  if (typeof found === 'string' || found.changes?.(line) === false) return
  const words = found.changes === undefined || line.words[0] === undefined ? name : `${name} ${line.words[0]}`
  throw new UsageError(`${words} has no dry run`, found.instead)
}
