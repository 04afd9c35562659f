import { assessCommand } from '../core/command/assess-command.ts'
import type { Command } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import { failure } from '../core/error.ts'
import { object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { commandTool } from './define/tool-families.ts'
import { dryRunOf, isDryCall, NO_ARGUMENT, wouldRun } from './edits/dry-run.ts'
import type { ProcessEnd, SpawnRequest } from '../core/powers.ts'
import { removeSequences } from '../core/text/display/escape-sequences.ts'
import { byteLength, isLonger } from '../core/text/truncate.ts'
import {
  factsForResult,
  fitStreams,
  processFacts,
  requireEnded,
  sayLeft,
  shownStreams,
  withoutDropped,
} from './running/process-result.ts'
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
  present: {
    text: presentResult,
    isFixed: true,
    mayTruncate: true,
    whole: ({ output: place }) => place ?? null,
  },
  async run(args, context): Promise<Result> {
    const { spawn, timeoutMs, maxOutputBytes } = context
    const argv = ['sh', '-c', args.command]
    const request = { argv, timeoutMs, extraAccess: readExtraAccess(args), ...keepUpTo(maxOutputBytes) }
    if (isDryCall(NO_ARGUMENT, context) && !spawn.mayRunDry) return wouldRun(request, spawn)
    const end = await spawn.run(request)
    requireEnded(end, argv)
    const { exitCode, signal } = end
    if (exitCode === 0) return beginningOf(end, maxOutputBytes)
    const { stdout, stderr } = fitStreams(shownStreams(end), maxOutputBytes / SHARE_OF_A_STREAM)
    const how = exitCode === null ? `ended by signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`
    const wanted = end.wanted === null ? '' : `\n${end.wanted.says}`
    const left = withoutDropped(end)
    throw failure('execution_failed', `${how}${excerpt(stdout, stderr)}${wanted}${sayLeft(left)}`, {
      exit_code: exitCode,
      signal,
      stdout,
      stderr,
      effects: 'kept',
      ...factsForResult(left),
    })
  },
})

/** A failure shows both ends of both streams in what is left of the limit for them. */
const SHARE_OF_A_STREAM = 1.5
const BETWEEN_STREAMS = '\n\n[stderr]\n'
/** A cut line and the marker of the runner lie beyond what is shown. */
const BEYOND_BYTES = 8_192

/** Enough of the beginning to fill the result, and all of it in a file once both streams together could be too long. */
function keepUpTo(maxBytes: number): Pick<SpawnRequest, 'keepBytes' | 'spillFromBytes'> {
  return {
    keepBytes: 2 * (maxBytes + BEYOND_BYTES),
    spillFromBytes: Math.max(0, Math.floor((maxBytes - BETWEEN_STREAMS.length) / 2)),
  }
}

/** The streams up to the limit; where one is longer, the result is too, and is truncated like any text. */
function beginningOf(end: ProcessEnd, maxBytes: number): Result {
  const { stdout, stderr } = shownStreams(end)
  const { output: place, ...facts } = factsForResult(end)
  const shown = cutAfter(stdout, maxBytes)
  const room = Math.max(maxBytes / 3, maxBytes - byteLength(shown))
  const result = { stdout: shown, stderr: cutAfter(stderr, room), ...facts }
  const isWhole = !isLonger(presentResult(result), maxBytes)
  return place === undefined || isWhole ? result : { ...result, output: place }
}

/** The beginning of a text, at least one byte longer than a limit that it exceeds. */
function cutAfter(text: string, maxBytes: number): string {
  if (!isLonger(text, maxBytes)) return text
  const start = Buffer.from(text).subarray(0, Math.ceil(maxBytes) + 4)
  return start.toString().replace(/\uFFFD$/u, '')
}

function commandOf({ command }: Infer<typeof input>): Command {
  return { kind: 'line', text: command }
}

function presentResult({ stdout = '', stderr = '', would_run, left_for_git = [] }: Result): string {
  if (would_run !== undefined) return JSON.stringify(dryRunOf(would_run))
  const printed = removeSequences(stderr === '' ? stdout : `${stdout}${BETWEEN_STREAMS}${stderr}`)
  return left_for_git.length === 0 ? printed : `${printed}\n\n[git]\n${left_for_git.join('\n')}`
}

function excerpt(stdout: string, stderr: string): string {
  const printed = removeSequences(stderr.trim() === '' ? stdout : stderr)
  return printed.trim() === '' ? '' : `\n${printed.slice(-2000)}`
}
