import { parseLine } from './arguments.ts'
import type { ParsedLine } from './arguments.ts'
import { COMMANDS, COMMON_OPTIONS } from './command-table.ts'
import type { CommandName } from './command-table.ts'
import { requireDryRun } from './dry-runs.ts'
import { explainError, UsageError } from './errors.ts'
import { findInexactInput } from '../../host/system/exact-input.ts'
import { openTerminal, safeWords } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import type { Faces } from './faces.ts'

/** A command: prints, and returns the exit code. */
export type CliCommand = (line: ParsedLine, terminal: Terminal, faces: Faces) => Promise<number>

/** Each command's code is loaded on demand. */
const LOAD: Readonly<Record<CommandName, () => Promise<CliCommand>>> = {
  app: async () => (await import('./commands/app.ts')).app,
  call: async () => (await import('./commands/call.ts')).call,
  batch: async () => (await import('./commands/call.ts')).batch,
  tools: async () => (await import('./commands/tools.ts')).tools,
  config: async () => (await import('./commands/config.ts')).config,
  trust: async () => (await import('./commands/trust.ts')).trust,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
  recover: async () => (await import('./commands/recover.ts')).recover,
  pending: async () => (await import('./commands/pending.ts')).pending,
  approve: async () => (await import('./commands/pending.ts')).approve,
  deny: async () => (await import('./commands/pending.ts')).deny,
  undo: async () => (await import('./commands/undo.ts')).undo,
  redo: async () => (await import('./commands/undo.ts')).redo,
  log: async () => (await import('./commands/log.ts')).log,
  why: async () => (await import('./commands/why.ts')).why,
  stats: async () => (await import('./commands/stats.ts')).stats,
  audit: async () => (await import('./commands/audit.ts')).audit,
  adopt: async () => (await import('./commands/journal/adopt.ts')).adopt,
  repair: async () => (await import('./commands/repair.ts')).repair,
  forget: async () => (await import('./commands/forget.ts')).forget,
  run: async () => (await import('./commands/run.ts')).run,
  setup: async () => (await import('./commands/setup/setup.ts')).setup,
  sessions: async () => (await import('./commands/sessions/sessions.ts')).sessions,
  rules: async () => (await import('./commands/rules.ts')).rules,
  policy: async () => (await import('./commands/policy.ts')).policy,
  grants: async () => (await import('./commands/grants.ts')).grants,
  tasks: async () => (await import('./commands/tasks.ts')).tasks,
  mcp: async () => (await import('./commands/mcp/mcp.ts')).mcp,
  acp: async () => (await import('./commands/acp/acp.ts')).acp,
  completion: async () => (await import('./commands/completion/completion.ts')).completion,
  demo: async () => (await import('./commands/demo/demo.ts')).demo,
}

/** Commands that open no runtime; work that an earlier process left is finished before them all the same. */
const WITHOUT_RUNTIME: ReadonlySet<string> = new Set<CommandName>([
  'tools',
  'config',
  'trust',
  'doctor',
  'setup',
  'audit',
  'repair',
])

/** Runs a command line and returns its exit code; never throws. */
export async function main(
  argv: readonly string[],
  faces: Faces = { openApp: null, serveMcp: null, serveAcp: null },
  isStdoutUnused = false,
): Promise<number> {
  const terminal = openTerminal(isStdoutUnused)
  try {
    requireExactInput(argv)
    const parsed = readLine(argv)
    if (!parsed.ok) {
      terminal.warn(`tongs: ${parsed.fault.message}; ${parsed.fault.hint}`)
      return 2
    }
    requireDryRun(parsed.line)
    if (WITHOUT_RUNTIME.has(parsed.line.command.name)) {
      const { finishLeftovers } = await import('../../runtime/sessions/leftovers.ts')
      await finishLeftovers((await import('./open.ts')).findFolders(parsed.line))
    }
    // The parser only accepts commands of the table.
    const load = LOAD[parsed.line.command.name as CommandName]
    return await (
      await load()
    )(parsed.line, terminal, faces)
  } catch (thrown) {
    return explainError(thrown, terminal)
  }
}

/** A name that is not UTF-8 would be taken for another one, so nothing is begun with it. */
function requireExactInput(argv: readonly string[]): void {
  const found = findInexactInput(argv, process.env)
  if (found === null) return
  if (found.is === 'word')
    throw new UsageError(
      `a word of the command line is not UTF-8: ${safeWords(found.text)}`,
      'such a name cannot be given; name its folder, or rename it',
    )
  if (found.is === 'variable')
    throw new UsageError(`the value of ${found.name} is not UTF-8`, 'give it a path that is')
  throw new UsageError(
    'the path of the current folder is not UTF-8',
    'start in another folder, or rename this one or the one above it',
  )
}

/** A line without a command means the app, so its options may come first. */
function readLine(argv: readonly string[]): ReturnType<typeof parseLine> {
  if (argv[0]?.startsWith('-') ?? true) {
    const parsed = parseLine(['app', ...argv], COMMANDS, COMMON_OPTIONS)
    if (parsed.ok || argv.length === 0) return parsed
  }
  return parseLine(argv, COMMANDS, COMMON_OPTIONS)
}
