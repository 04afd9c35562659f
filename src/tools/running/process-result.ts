import { cancelledError, failure, ToolFailure } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ProcessEnd } from '../../core/powers.ts'
import {
  anyObject,
  array,
  boolean,
  integer,
  object,
  oneOf,
  optional,
  record,
  string,
} from '../../schema/schema.ts'
import { commandDryRun } from '../edits/dry-run.ts'
import { byteLength, ellipsis } from '../../core/text/truncate.ts'

/** What every tool that starts a process reports besides its output. */
export const processFacts = {
  sandbox: optional(string('The sandbox it ran in')),
  limits: optional(
    record(
      oneOf(['cgroup', 'rlimit', 'none'], 'What enforces it; none means that nothing does'),
      'What actually enforces each limit',
    ),
  ),
  output: optional(string('Where read_file finds the whole output, if it is not all here')),
  output_note: optional(string('What is missing there')),
  wanted: optional(string('What it seems to have lacked')),
  left_for_git: optional(
    array(
      string('What it is, and what git does because of it'),
      'What it left behind that makes git act later',
    ),
  ),
  layer: optional(oneOf(['overlay', 'copy', 'none'], 'What kept its changes apart until they landed')),
  changes: optional(
    array(
      object(
        {
          path: string('Relative to the root'),
          change: oneOf(['created', 'modified', 'deleted'], 'What happened to it'),
          from: optional(string('Where it was before, if it was moved there: that name is deleted')),
        },
        'A file or link',
      ),
      'What it changed in the workspace',
    ),
  ),
  changes_total: optional(integer('How many it changed, if not all are listed')),
  partial: optional(boolean('Whether a person took only a part of what it changed')),
  left_out: optional(
    array(
      object(
        {
          path: string('Relative to the root'),
          why: optional(string('Why, as the end of a sentence')),
          hunks: optional(array(integer('Counted from 1'), 'The hunks that a person did not take')),
        },
        'Something that did not land',
      ),
      'What it changed and what did not land',
    ),
  ),
  thrown_away: optional(integer('How many files of caches it changed, which never land')),
  diff: optional(string('On a dry run, what it would have changed')),
  grant: optional(anyObject('Arguments to add to a new call that asks a person for it')),
  ...commandDryRun,
}

/** The facts about a process that has ended. */
export function factsForResult({ sandbox, limits, rest, wanted, leftForGit }: ProcessEnd) {
  return {
    sandbox,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(rest === null || rest.path === null ? {} : { output: rest.path }),
    ...(rest === null || rest.note === null ? {} : { output_note: rest.note }),
    ...(wanted === null ? {} : { wanted: wanted.says }),
    ...(leftForGit.length === 0 ? {} : { left_for_git: leftForGit }),
    ...(wanted === null || wanted.grant === null ? {} : { grant: wanted.grant as JsonObject }),
  }
}

/** A process whose call fails: with its layer, what it left is gone. */
export function withoutDropped(end: ProcessEnd): ProcessEnd {
  return end.isOnLayer ? { ...end, leftForGit: [] } : end
}

/** What a process left for git, as the end of a message. */
export function sayLeft({ leftForGit }: ProcessEnd): string {
  return leftForGit.map((sentence) => `\n${sentence}`).join('')
}

/** Throws if a process was never started or was stopped from outside, because it has no exit code of its own to report. */
export function requireEnded(end: ProcessEnd, argv: readonly string[]): void {
  if (end.isAbsent) throw absentProgram(argv[0] ?? '', end)
  const { isTimedOut, isCancelled, durationMs } = end
  const { stdout, stderr } = shownStreams(end)
  const left = withoutDropped(end)
  const details = { effects: 'kept', stdout, stderr, ...factsForResult(left) }
  if (isTimedOut)
    throw failure(
      'timeout',
      `Timed out after ${Math.round(durationMs / 1000)} s; everything it had started was stopped.${sayLeft(left)}`,
      details,
      ['Give it less to do at a time; the limit is tools.timeouts.shell_commands_seconds.'],
    )
  if (isCancelled) throw new ToolFailure(cancelledError(details))
}

function absentProgram(program: string, end: ProcessEnd): ToolFailure {
  const isPath = program.includes('/')
  const name = JSON.stringify(ellipsis(program, SHOWN_PROGRAM_CHARS))
  return failure(
    'execution_failed',
    isPath
      ? `The program ${name} does not exist, or cannot be executed.`
      : `The program ${name} was not found on the PATH of commands.`,
    { program: ellipsis(program, SHOWN_PROGRAM_CHARS), effects: 'none', ...factsForResult(end) },
    [
      isPath
        ? 'Check the path; it starts from the working folder of the command.'
        : SHELL_WORDS.has(program)
          ? `${program} is part of a shell, not a program. Give a folder as cwd, or run ["sh", "-c", "…"] if several commands belong together.`
          : 'Install it, or see that its folder is on PATH; a sandboxed command sees only the system, PATH and the workspace.',
    ],
  )
}

const SHELL_WORDS: ReadonlySet<string> = new Set([
  'cd',
  'export',
  'source',
  '.',
  'alias',
  'set',
  'unset',
  'ulimit',
])

const SHOWN_PROGRAM_CHARS = 200

const OPERATORS: ReadonlySet<string> = new Set([
  '|',
  '||',
  '&&',
  ';',
  '&',
  '>',
  '>>',
  '<',
  '2>&1',
  '2>',
  '&>',
])

/** Explains words that mean something only to a shell, if a command failed that was given some. */
export function explainWords(argv: readonly string[], exitCode: number | null): readonly string[] {
  const operator = argv.slice(1).find((word) => OPERATORS.has(word))
  if (exitCode === 0 || operator === undefined) return []
  return [
    `no shell reads these words, so ${operator} reached ${argv[0] ?? 'the program'} as text; for a shell, run ["sh", "-c", "…"]`,
  ]
}

/** Both streams as they are shown: text, or what stands for bytes that are not. */
export function shownStreams({ stdout, stderr, binary }: ProcessEnd): Streams {
  return { stdout: binary.stdout ?? stdout, stderr: binary.stderr ?? stderr }
}

/** The text of both streams. */
export interface Streams {
  readonly stdout: string
  readonly stderr: string
}

/** Shorter output is useless; the framework then reports that the result does not fit. */
const LEAST_CHARS = 64

/** Shortens the output of a process until the result fits as JSON, where a character can take six bytes. */
export function fitStreams<R extends { readonly stdout: string; readonly stderr: string }>(
  result: R,
  maxBytes: number,
): R {
  let fitted = result
  let chars = Math.max(result.stdout.length, result.stderr.length)
  while (byteLength(JSON.stringify(fitted)) > maxBytes && chars > LEAST_CHARS) {
    chars = Math.floor(chars * 0.7)
    fitted = { ...result, stdout: leaveOut(result.stdout, chars), stderr: leaveOut(result.stderr, chars) }
  }
  return fitted
}

function leaveOut(text: string, chars: number): string {
  if (text.length <= chars) return text
  const half = Math.floor(chars / 2)
  const missing = text.length - 2 * half
  return `${text.slice(0, half).toWellFormed()}\n... [${missing} characters left out] ...\n${text.slice(-half).toWellFormed()}`
}
