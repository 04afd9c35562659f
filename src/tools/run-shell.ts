import { assessCommand } from '../core/command/assess-command.ts'
import { shellWord } from '../core/command/shell-word.ts'
import type { SpawnRequest } from '../core/powers.ts'
import type { Command } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import { array, integer, nullable, object, optional, record, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { commandTool } from './define/tool-families.ts'
import { isDryCall, NO_ARGUMENT, wouldRun } from './edits/dry-run.ts'
import {
  explainWords,
  factsForResult,
  fitStreams,
  processFacts,
  requireEnded,
  shownStreams,
} from './running/process-result.ts'
import { renderProcess } from './rendering/process-text.ts'
import { extraAccessArguments, leadWith, readExtraAccess, riskWith } from './running/extra-access.ts'

const input = object(
  {
    cmd: array(
      string('A word'),
      'The program and its arguments; no shell reads them, so pipes and the like need ["sh", "-c", "…"]',
      { minItems: 1 },
    ),
    cwd: optional(string('Folder to run in, relative to the root')),
    timeout: optional(integer('Seconds, at most what is configured', { minimum: 1 })),
    env: optional(record(string('Its value'), 'Further variables')),
    stdin: optional(string('What the command reads; nothing if absent')),
    ...extraAccessArguments,
  },
  'A command',
)

const output = object(
  {
    exit_code: optional(nullable(integer('Its exit code; null if a signal ended it'))),
    signal: optional(nullable(string('The signal that ended it, otherwise null'))),
    stdout: optional(string('Standard output')),
    stderr: optional(string('Standard error')),
    duration_ms: optional(integer('How long it ran')),
    notes: optional(array(string('One note'), 'What the caller should know about the command')),
    ...processFacts,
  },
  'How the command ended',
)

type Result = Infer<typeof output>

/** Runs a program in the sandbox; any exit code is a result. */
export const runShell = defineTool({
  name: 'run_shell',
  version: '1.0.0',
  description:
    'Run a program with arguments in the workspace, sandboxed; without network unless a person grants it',
  ...commandTool,
  input,
  output,
  slips: {
    names: { command: 'cmd', argv: 'cmd', workdir: 'cwd', working_directory: 'cwd' },
    command: 'cmd',
    tool: ['bash', 'sh', 'shell', 'exec', 'execute', 'terminal', 'execute_command', 'run_terminal_cmd'],
  },
  rare: ['read', 'write', 'env', 'stdin'],
  risk: (args, isSandboxed) => riskWith(args, assessCommand(commandOf(args), isSandboxed).risk),
  claims: ({ cwd }) => (cwd === undefined ? [] : [{ path: cwd, intent: 'list' }]),
  // Its own folder counts from the root and takes the place of the one of the call.
  rebase: (args, move) => (args.cwd === undefined ? { ...args, cwd: move('.') } : args),
  command: commandOf,
  summary: (args) =>
    `${leadWith(args, 'Run')} ${args.cmd.map(shellWord).join(' ')}${args.cwd === undefined ? '' : ` (in ${args.cwd})`}`,
  present: { text: renderProcess, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { spawn, timeoutMs, maxOutputBytes } = context
    const { cmd, cwd, timeout, env, stdin } = args
    const request: SpawnRequest = {
      argv: cmd,
      timeoutMs: Math.min(timeoutMs, timeout === undefined ? Infinity : timeout * 1000),
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(stdin === undefined ? {} : { stdin }),
      extraAccess: readExtraAccess(args),
    }
    if (isDryCall(NO_ARGUMENT, context) && !spawn.mayRunDry) return wouldRun(request, spawn)
    const end = await spawn.run(request)
    requireEnded(end, cmd)
    const { exitCode: exit_code, signal } = end
    const notes = explainWords(cmd, exit_code)
    const result = {
      exit_code,
      signal,
      ...shownStreams(end),
      duration_ms: Math.round(end.durationMs),
      ...factsForResult(end),
      ...(notes.length === 0 ? {} : { notes }),
    }
    return fitStreams(result, maxOutputBytes)
  },
})

/**
 * With extra variables or input, or in another folder, the same words can mean a different command: a path leads
 * elsewhere, and a repository there has its own configuration.
 */
function commandOf({ cmd, cwd, env, stdin }: Infer<typeof input>): Command {
  const isOtherFolder = cwd !== undefined && cwd !== '.'
  const isAltered = env !== undefined || stdin !== undefined || isOtherFolder
  return {
    kind: 'words',
    words: cmd,
    ...(isAltered ? { isAltered } : {}),
    ...(env === undefined ? {} : { variables: Object.keys(env) }),
  }
}
