import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { assessCommand } from '../core/command/assess-command.ts'
import type { Command } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import type { ProcessEnd, SpawnRequest } from '../core/powers.ts'
import { array, boolean, integer, nullable, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { commandTool } from './define/tool-families.ts'
import { removeSequences } from '../core/text/display/escape-sequences.ts'
import { byteLength, ellipsis } from '../core/text/truncate.ts'
import { isDryCall, NO_ARGUMENT, wouldRun } from './edits/dry-run.ts'
import { factsForResult, processFacts, requireEnded, withoutDropped } from './running/process-result.ts'
import { extraAccessArguments, leadWith, readExtraAccess, riskWith } from './running/extra-access.ts'
import { readReport } from './test-reports/read-report.ts'
import { countsOf } from './test-reports/test-report.ts'
import type { TestFailure, TestReport } from './test-reports/test-report.ts'
import { writeReport } from './test-reports/write-report.ts'
import { isNamedLikeTest } from './test-runners/test-runner.ts'
import { factsOf, renderProcess } from './rendering/process-text.ts'
import { planTests } from './test-runners/plan-tests.ts'
import type { TestPlan } from './test-runners/plan-tests.ts'

const input = object(
  {
    selector: optional(
      string('Which tests to run: a file or folder, or part of a name as the runner takes it', {
        minLength: 1,
      }),
    ),
    command: optional(
      array(
        string('A word'),
        'The program and arguments that run the tests, instead of those found in the project; the selector replaces {selector}, or goes to the end',
        {
          minItems: 1,
        },
      ),
    ),
    ...extraAccessArguments,
  },
  'Which tests to run',
)

const failed = object(
  {
    name: string('The test'),
    file: nullable(string('The file it is in, if known')),
    line: nullable(integer('The line where it failed or is defined, if known')),
    message: string('What went wrong'),
  },
  'A test that did not pass',
)

const output = object(
  {
    total: optional(integer('Tests in all')),
    passed: optional(integer('Tests that passed')),
    failed: optional(integer('Tests that failed')),
    errors: optional(integer('Tests, or files of tests, that could not be run')),
    skipped: optional(integer('Tests that were skipped')),
    report: optional(string('How it went, in words')),
    failures: optional(array(failed, 'The tests that did not pass')),
    truncated: optional(boolean('Whether the report or the failures were cut to fit')),
    runner: optional(string('What ran the tests')),
    command: optional(array(string('A word'), 'What was started')),
    exit_code: optional(nullable(integer('The exit code of the runner'))),
    duration_ms: optional(integer('How long it ran')),
    notes: optional(array(string('A note'), 'What else there is to know')),
    ...processFacts,
  },
  'How the tests went',
)

type Result = Infer<typeof output>

/**
 * Runs a project's tests in the sandbox. Failing tests are a result; a runner whose report cannot be read is an
 * error.
 */
export const runTests = defineTool({
  name: 'run_tests',
  version: '1.0.0',
  description: 'Run the tests of the project, all or some, and get counts and failures',
  ...commandTool,
  input,
  output,
  slips: {
    names: { path: 'selector', file: 'selector', filter: 'selector', cmd: 'command' },
    command: 'command',
    tool: ['test', 'tests', 'pytest'],
  },
  rare: ['read', 'write'],
  repeatable: true,
  risk: (args, isSandboxed) => {
    const own = isSandboxed ? 'Medium' : 'High'
    const command = commandOf(args)
    return riskWith(args, command === null ? own : assessCommand(command, isSandboxed).risk)
  },
  command: commandOf,
  usual: {
    says: 'for the tests as they are found in the project, all or those of a plain selector',
    includes: ({ command, selector }) =>
      command === undefined && (selector === undefined || isPlain(selector)),
    bindsStart: true,
  },
  check: ({ selector }) =>
    selector !== undefined && /\p{Cc}/u.test(selector)
      ? 'selector must not hold control characters; write it on one line'
      : null,
  summary: ({ selector, command, ...extra }) =>
    `${readExtraAccess(extra) === null ? 'Run the tests' : leadWith(extra, 'Run the tests')}${selector === undefined ? '' : ` ${JSON.stringify(selector)}`}${command === undefined ? '' : ` with: ${command.join(' ')}`}`,
  present: { text: renderResult, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { files, spawn, settings: view, cwd, signal, timeoutMs, maxOutputBytes } = context
    const settings = settingsOf(view)
    const configured = settings['tools.run_tests.command']
    const folder = cwd === '.' ? '' : cwd
    const plan = await planTests({
      selector: args.selector ?? null,
      command: args.command ?? (configured.length === 0 ? null : configured),
      folder,
      files,
      settings,
      signal,
    })
    const { runner, argv, stem } = plan
    const request: SpawnRequest = {
      argv,
      stem,
      timeoutMs,
      extraAccess: readExtraAccess(args),
      keepBytes: settings['tools.run_tests.max_output_bytes'],
      ...(folder === '' ? {} : { cwd: folder }),
      ...(runner?.env === undefined ? {} : { env: runner.env }),
      ...(runner?.programs === undefined ? {} : { programs: runner.programs }),
      ...(runner?.machineStream === undefined ? {} : { unwatched: runner.machineStream }),
    }
    if (isDryCall(NO_ARGUMENT, context) && !spawn.mayRunDry) return wouldRun(request, spawn)
    const end = await spawn.run(request)
    requireEnded({ ...end, ...lastOutput(end) }, argv)
    const report = readReport(runner?.parse ?? null, end)
    if (report === null || end.signal !== null) throw unreadable(plan, end, report)
    const root = files.follow('.')?.place ?? ''
    return present({ plan, end, report: onlySelected(report, plan), root }, settings, maxOutputBytes)
  },
})

function renderResult({ report = '', exit_code: _code, notes: _said, ...result }: Result): string {
  if (result.would_run !== undefined) return renderProcess(result)
  return [removeSequences(report), ...factsOf(result)].join('\n')
}

/** A path or name without anything that a shell, a language or a list of options could make more of. */
const PLAIN_SELECTOR = /^(?!-)(?!.* -)[\p{L}\p{N}_@%+=:,./^ -]+\$?$/u
const PATH_LIKE = /[./]/

/** What looks like a path has to be named like a test; a bare name that is one is judged by what it would start. */
function isPlain(selector: string): boolean {
  if (!PLAIN_SELECTOR.test(selector) || selector.split('/').includes('..')) return false
  return !PATH_LIKE.test(selector) || isNamedLikeTest(selector)
}

/**
 * A command given in the call is judged by its words; the project's own command is known only after looking at the
 * project.
 */
function commandOf({ command, selector }: Infer<typeof input>): Command | null {
  if (command === undefined) return null
  return { kind: 'words', words: command, ...(selector === undefined ? {} : { isAltered: true }) }
}

/** The end of both streams. */
function lastOutput({ stdout, stderr }: ProcessEnd): Pick<ProcessEnd, 'stdout' | 'stderr'> {
  return { stdout, stderr: stderr.slice(-SHOWN_CHARS) }
}

/** Some runners report tests that were not selected as skipped, or their file as passed. */
function onlySelected(report: TestReport, { runner, selection }: TestPlan): TestReport {
  if (selection.is !== 'name') return report
  const { passed, skipped } = report.counts
  const own = {
    ...report.counts,
    passed: Math.max(0, passed - (report.emptyFiles ?? 0)),
    skipped: runner?.skipsUnselected === true ? 0 : skipped,
  }
  return { ...report, counts: countsOf(own) }
}

/** The end of a runner's output, which usually contains the reason for a failure. */
const SHOWN_CHARS = 2000
const LONGEST_WORD = 200

function unreadable({ runner, argv }: TestPlan, end: ProcessEnd, report: TestReport | null): ToolFailure {
  const { exitCode, signal } = end
  const { stdout, stderr } = lastOutput(end)
  const how =
    exitCode === null ? `was ended by signal ${signal ?? 'unknown'}` : `ended with exit code ${exitCode}`
  const name = runner?.name ?? argv[0] ?? 'it'
  const isMissing = exitCode === 127 || exitCode === 126
  const what = isMissing
    ? `${argv[0] ?? 'the program'} could not be started`
    : report === null
      ? 'nothing in its output is a report of tests that can be read'
      : 'its report is not complete'
  const printed = removeSequences(`${stdout}\n${stderr}`).trim()
  return failure(
    'execution_failed',
    `The test runner (${name}) ${how}, and ${what}.${printed === '' ? ' It printed nothing.' : `\n${printed}`}`,
    {
      exit_code: exitCode,
      signal,
      stdout,
      stderr,
      command: [...argv],
      ...(report === null ? {} : { counts: { ...report.counts } }),
      effects: 'kept',
      ...factsForResult(withoutDropped(end)),
    },
    [
      ...(end.wanted === null ? [] : [end.wanted.says]),
      isMissing
        ? 'Install it, or see that its folder is on PATH; outside of the system and PATH a sandboxed command sees nothing.'
        : 'See what it printed. A runner of another kind can be named by tools.run_tests.runner.',
    ],
  )
}

/** A finished test run with its report. */
interface Finished {
  readonly plan: TestPlan
  readonly end: ProcessEnd
  readonly report: TestReport
  /** Absolute, so that file names can be shown relative to it. */
  readonly root: string
}

function present(
  { plan: { runner, argv, selection }, end, report: { counts, failures }, root }: Finished,
  settings: Settings,
  maxOutputBytes: number,
): Result {
  const name = runner?.name ?? argv[0] ?? 'unknown'
  const notes: string[] = []
  if (counts.total === 0)
    notes.push(selection.is === 'all' ? 'No tests were found.' : 'No test fits the selector.')
  if (end.exitCode !== 0 && counts.failed + counts.errors === 0)
    notes.push(`The runner ended with exit code ${end.exitCode ?? 'unknown'} although no test failed.`)
  const own = { ...end, ...(runner?.machineStream === undefined ? {} : { [runner.machineStream]: '' }) }
  const maxFailures = settings['tools.run_tests.max_failures']
  const listed = failures.map((each) => ({
    ...each,
    name: relative(each.name, root) ?? each.name,
    file: relative(each.file, root),
  }))
  const make = (count: number, reportBytes: number): Result => {
    const shown = listed.slice(0, count)
    return {
      ...counts,
      report: writeReport({ runner: name, counts, failures: shown, notes, printed: own }, reportBytes),
      failures: shown,
      truncated: shown.length < Math.max(listed.length, counts.failed + counts.errors),
      runner: name,
      command: argv.map((word) => ellipsis(word, LONGEST_WORD)),
      exit_code: end.exitCode,
      duration_ms: Math.round(end.durationMs),
      ...(notes.length === 0 ? {} : { notes }),
      ...factsForResult(end),
    }
  }
  let count = Math.min(maxFailures, listed.length)
  let reportBytes = settings['tools.run_tests.max_report_bytes']
  for (;;) {
    const result = make(count, reportBytes)
    if (byteLength(JSON.stringify(result)) <= maxOutputBytes || (count === 0 && reportBytes < 64))
      return result
    count = Math.floor(count / 2)
    reportBytes = Math.floor(reportBytes / 2)
  }
}

function relative(file: TestFailure['file'], root: string): string | null {
  return file !== null && root !== '' && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file
}
