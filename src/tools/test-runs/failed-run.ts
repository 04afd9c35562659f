import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { ProcessEnd } from '../../core/powers.ts'
import { removeSequences } from '../../core/text/display/escape-sequences.ts'
import { ellipsis } from '../../core/text/truncate.ts'
import { factsForResult, withoutDropped } from '../running/process-result.ts'
import type { TestReport } from '../test-reports/test-report.ts'
import { NAME_COMMAND } from '../test-runners/test-runner.ts'
import type { TestPlan } from './plan-tests.ts'

/** The end of a runner's output, which usually contains the reason for a failure. */
const SHOWN_CHARS = 2000
const COMMAND_CHARS = 500

/** The end of both streams. */
export function lastOutput({ stdout, stderr }: ProcessEnd): Pick<ProcessEnd, 'stdout' | 'stderr'> {
  return { stdout, stderr: withoutInnerFrames(stderr).slice(-SHOWN_CHARS) }
}

/** Frames of Node itself and of packages, which hide the message above them. */
const INNER_FRAME = /^[ \t]+at .{0,1000}?(?:\bnode:internal\/|\/node_modules\/).*\n/gm

function withoutInnerFrames(text: string): string {
  return text.replace(INNER_FRAME, '')
}

/** A run without a report, or with one that is not complete. */
export function unreadable(plan: TestPlan, end: ProcessEnd, report: TestReport | null): ToolFailure {
  const { runner, argv } = plan
  const isMissing = end.exitCode === 127 || end.exitCode === 126
  const what = isMissing
    ? `${argv[0] ?? 'the program'} could not be started`
    : report === null
      ? 'nothing in its output is a report of tests that can be read'
      : 'its report is not complete'
  const printed = printedBy(end)
  return failure(
    'execution_failed',
    `The test runner (${runner?.name ?? argv[0] ?? 'it'}) ${howEnded(end)}, and ${what}.${printed === '' ? ' It printed nothing.' : `\n${printed}`}`,
    detailsOf(plan, end, report),
    [
      ...(end.wanted === null ? [] : [end.wanted.says]),
      isMissing
        ? 'Install it, or see that its folder is on PATH; outside of the system and PATH a sandboxed command sees nothing.'
        : `See what it printed. ${NAME_COMMAND}`,
      ...adviceOn(plan),
    ],
  )
}

/** A run in which no test was run: that proves nothing, so it is not a success. */
export function ranNothing(plan: TestPlan, end: ProcessEnd, report: TestReport): ToolFailure {
  const { selection, runner, argv } = plan
  const why =
    selection.is === 'all'
      ? 'none were found'
      : `none fit the selector ${JSON.stringify(selection.is === 'name' ? selection.text : selection.path)}`
  const printed = selection.is === 'name' || runner?.machineStream === 'stdout' ? '' : printedBy(end)
  return failure(
    'execution_failed',
    `No tests were run: ${why}. The command was: ${ellipsis(argv.join(' '), COMMAND_CHARS)}${printed === '' ? '' : `\n${printed}`}`,
    detailsOf(plan, end, report),
    [
      selection.is === 'all'
        ? `Name a file or folder with tests as the selector. ${NAME_COMMAND}`
        : 'Name another file, folder or part of a test name, or leave the selector out.',
      ...adviceOn(plan),
    ],
  )
}

/** What the project does before its tests, if they may need it. */
export function adviceOn({ before }: TestPlan): readonly string[] {
  if (before.length === 0) return []
  return [`Before its tests, the script of the project also runs: ${before.join('; ')}. That was left out.`]
}

function howEnded({ exitCode, signal }: ProcessEnd): string {
  return exitCode === null ? `was ended by signal ${signal ?? 'unknown'}` : `ended with exit code ${exitCode}`
}

function printedBy(end: ProcessEnd): string {
  const { stdout, stderr } = lastOutput(end)
  return removeSequences(`${stdout}\n${stderr}`).trim()
}

function detailsOf({ argv }: TestPlan, end: ProcessEnd, report: TestReport | null) {
  return {
    exit_code: end.exitCode,
    signal: end.signal,
    ...lastOutput(end),
    command: [...argv],
    ...(report === null ? {} : { counts: { ...report.counts } }),
    effects: 'kept',
    ...factsForResult(withoutDropped(end)),
  }
}
