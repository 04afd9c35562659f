import { assessCommand } from '../core/command/assess-command.ts'
import { shellWord } from '../core/command/shell-word.ts'
import type { SpawnRequest } from '../core/powers.ts'
import type { Command } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import {
  array,
  boolean,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../schema/schema.ts'
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
import { findBackgroundFault, readBackground, startBackground } from './running/background-result.ts'
import { renderProcess } from './rendering/process-text.ts'
import { extraAccessArguments, leadWith, readExtraAccess, riskWith } from './running/extra-access.ts'

const input = object(
  {
    cmd: optional(
      array(
        string('A word'),
        'The program and its arguments; no shell reads them, so pipes and the like need ["sh", "-c", "…"]',
        { minItems: 1 },
      ),
    ),
    cwd: optional(string('Folder to run in, relative to the root')),
    timeout: optional(integer('Seconds, at most what is configured', { minimum: 1 })),
    env: optional(record(string('Its value'), 'Further variables')),
    stdin: optional(string('What the command reads; nothing if absent')),
    background: optional(boolean('Let it go on, as a server; its changes never land')),
    handle: optional(
      string('Instead of cmd: a command in the background, to read what is new of its output', {
        minLength: 1,
      }),
    ),
    stop: optional(boolean('With handle: whether to stop it')),
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
    handle: optional(string('The command in the background')),
    state: optional(oneOf(['running', 'ended'], 'Whether the command in the background goes on')),
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
  rare: ['read', 'write', 'env', 'stdin', 'handle', 'stop'],
  check: findBackgroundFault,
  // To look at a command that runs, or to stop it, starts nothing.
  effectOf: ({ handle }) => (handle === undefined ? 'spawn' : 'read'),
  requiresApproval: ({ handle }) => handle === undefined,
  risk: (args, isSandboxed) => {
    const command = commandOf(args)
    return command === null ? 'Low' : riskWith(args, assessCommand(command, isSandboxed).risk)
  },
  claims: ({ cwd }) => (cwd === undefined ? [] : [{ path: cwd, intent: 'list' }]),
  // Its own folder counts from the root and takes the place of the one of the call.
  rebase: (args, move) =>
    args.cwd === undefined && args.cmd !== undefined ? { ...args, cwd: move('.') } : args,
  command: commandOf,
  summary: (args) => {
    const { cmd, cwd, handle, stop, background } = args
    if (cmd === undefined)
      return `${stop === true ? 'Stop' : 'Look at'} the command in the background ${handle}`
    const lead = leadWith(args, background === true ? 'Run in the background' : 'Run')
    return `${lead} ${cmd.map(shellWord).join(' ')}${cwd === undefined ? '' : ` (in ${cwd})`}`
  },
  hasFailed: ({ exit_code: code = 0, signal = null }) => (code ?? 0) !== 0 || signal !== null,
  present: { text: renderProcess, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { spawn, timeoutMs, maxOutputBytes } = context
    const { cmd, cwd, timeout, env, stdin } = args
    if (cmd === undefined) return readBackground(args, context)
    const request: SpawnRequest = {
      argv: cmd,
      timeoutMs: Math.min(timeoutMs, timeout === undefined ? Infinity : timeout * 1000),
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(stdin === undefined ? {} : { stdin }),
      extraAccess: readExtraAccess(args),
    }
    const isBackground = args.background === true
    // One that does not end by itself would end no dry run.
    if (isDryCall(NO_ARGUMENT, context) && (isBackground || !spawn.mayRunDry)) return wouldRun(request, spawn)
    if (isBackground) return startBackground(request, context)
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
 * With extra variables or input, in another folder, or in the background, the same words can mean a different command: a path leads
 * elsewhere, and a repository there has its own configuration.
 */
function commandOf({ cmd, cwd, env, stdin, background }: Infer<typeof input>): Command | null {
  if (cmd === undefined) return null
  const isOtherFolder = cwd !== undefined && cwd !== '.'
  const isAltered = env !== undefined || stdin !== undefined || background === true || isOtherFolder
  return {
    kind: 'words',
    words: cmd,
    ...(isAltered ? { isAltered } : {}),
    ...(stdin === undefined ? {} : { input: stdin }),
    ...(env === undefined ? {} : { variables: Object.keys(env) }),
  }
}
