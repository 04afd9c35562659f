import { assessCommand } from '../core/command/assess-command.ts'
import type { Command } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import { failure } from '../core/error.ts'
import { object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { commandTool } from './define/tool-families.ts'
import { dryRunOf, isDryCall, NO_ARGUMENT, wouldRun } from './edits/dry-run.ts'
import { factsForResult, processFacts, requireEnded, sayLeft } from './running/process-result.ts'
import { extraAccessArguments, leadWith, readExtraAccess, riskWith } from './running/extra-access.ts'

const input = object(
  { command: string('The command line, read by sh', { minLength: 1 }), ...extraAccessArguments },
  'A shell command',
)

const output = object(
  {
    stdout: optional(string('Standard output')),
    stderr: optional(string('Standard error')),
    ...processFacts,
  },
  'What the command said',
)

type Result = Infer<typeof output>

/** Runs a command line; a nonzero exit code is a failure. */
export const runCommand = defineTool({
  name: 'run_command',
  version: '1.0.0',
  description: 'Run a shell command line in the workspace',
  ...commandTool,
  input,
  output,
  risk: (args, isSandboxed) => riskWith(args, assessCommand(commandOf(args), isSandboxed).risk),
  check: ({ command }) =>
    command.trim() === '' ? 'command must not be blank; write what sh is to run' : null,
  command: commandOf,
  summary: (args) => `${leadWith(args, 'Run command')} ${args.command}`,
  present: { text: presentResult, mayTruncate: true },
  async run(args, context): Promise<Result> {
    const { spawn, timeoutMs } = context
    const argv = ['sh', '-c', args.command]
    const request = { argv, timeoutMs, extraAccess: readExtraAccess(args) }
    if (isDryCall(NO_ARGUMENT, context)) return wouldRun(request, spawn)
    const end = await spawn.run(request)
    requireEnded(end, argv)
    const { exitCode, signal, stdout, stderr } = end
    if (exitCode === 0) return { stdout, stderr, ...factsForResult(end) }
    const how = exitCode === null ? `ended by signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`
    const wanted = end.wanted === null ? '' : `\n${end.wanted.says}`
    throw failure('execution_failed', `${how}${excerpt(stdout, stderr)}${wanted}${sayLeft(end)}`, {
      exit_code: exitCode,
      signal,
      stdout,
      stderr,
      effects: 'kept',
      ...factsForResult(end),
    })
  },
})

function commandOf({ command }: Infer<typeof input>): Command {
  return { kind: 'line', text: command }
}

function presentResult({ stdout = '', stderr = '', would_run, left_for_git = [] }: Result): string {
  if (would_run !== undefined) return JSON.stringify(dryRunOf(would_run))
  const printed = stderr === '' ? stdout : `${stdout}\n\n[stderr]\n${stderr}`
  return left_for_git.length === 0 ? printed : `${printed}\n\n[git]\n${left_for_git.join('\n')}`
}

function excerpt(stdout: string, stderr: string): string {
  const printed = stderr.trim() === '' ? stdout : stderr
  return printed.trim() === '' ? '' : `\n${printed.slice(-2000)}`
}
