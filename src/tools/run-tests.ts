import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { assessCommand } from '../core/command/assess-command.ts'
import { isRedirectingVariable } from '../core/command/redirecting-variables.ts'
import { shellWord } from '../core/command/shell-word.ts'
import type { Command } from '../core/tool.ts'
import { haveTestsPassed } from './test-reports/have-passed.ts'
import { defineTool } from './define/define-tool.ts'
import type { Spawn } from '../core/powers.ts'
import { array, boolean, integer, nullable, object, optional, record, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { commandTool } from './define/tool-families.ts'
import { removeSequences } from '../core/text/display/escape-sequences.ts'
import { byteLength, ellipsis } from '../core/text/truncate.ts'
import { dryRunOf, isDryCall, NO_ARGUMENT } from './edits/dry-run.ts'
import { factsForResult, processFacts, requireEnded } from './running/process-result.ts'
import { extraAccessArguments, leadWith, readExtraAccess, riskWith } from './running/extra-access.ts'
import { readReport } from './test-reports/read-report.ts'
import { countsOf } from './test-reports/test-report.ts'
import type { TestReport } from './test-reports/test-report.ts'
import { writeReport } from './test-reports/write-report.ts'
import type { ReportParts } from './test-reports/write-report.ts'
import { isNamedLikeTest } from './test-runners/test-runner.ts'
import { factsOf, renderProcess } from './rendering/process-text.ts'
import { fillIn } from './test-runs/fill-in.ts'
import { planTests } from './test-runs/plan-tests.ts'
import type { TestPlan } from './test-runs/plan-tests.ts'
import { lastOutput, ranNothing, unreadable } from './test-runs/failed-run.ts'
import { announcedWords, requestFor } from './test-runs/start-tests.ts'
import type { RunOptions } from './test-runs/start-tests.ts'
import { reportNothing, reportProblem, sumUp } from './test-runs/sum-up.ts'
import type { FinishedRun } from './test-runs/sum-up.ts'

/** As long as a path can be. */
const LONGEST_SELECTOR = 4_096

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
        'The program and arguments, if not those of the project; the selector replaces {selector}, or goes to the end',
        {
          minItems: 1,
        },
      ),
    ),
    env: optional(record(string('Its value'), 'Further variables')),
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
    folder: optional(string('The folder it ran in, if not the root')),
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
    names: { path: 'selector', file: 'selector', filter: 'selector', cmd: 'command', environment: 'env' },
    command: 'command',
    tool: ['test', 'tests', 'pytest'],
  },
  rare: ['read', 'write', 'network'],
  repeatable: true,
  risk: (args, isSandboxed) => {
    const own = isSandboxed ? 'Medium' : 'High'
    const command = commandOf(args)
    const assessed = command === null ? own : assessCommand(command, isSandboxed).risk
    return riskWith(args, namesOf(args).some(isRedirectingVariable) ? 'High' : assessed)
  },
  command: commandOf,
  // Failing tests are a result, but not the success that a rule asks for.
  satisfies: haveTestsPassed,
  usual: {
    says: 'for the tests as they are found in the project, all or those of a plain selector',
    includes: ({ command, selector, env }) =>
      command === undefined && env === undefined && (selector === undefined || isPlain(selector)),
    bindsStart: true,
  },
  check: ({ selector = '' }) => {
    if (selector.length > LONGEST_SELECTOR)
      return `selector has ${selector.length} characters; at most ${LONGEST_SELECTOR} can be a path or a part of a name`
    return /\p{Cc}/u.test(selector) ? 'selector must not hold control characters; write it on one line' : null
  },
  summary: ({ selector, command, env, ...extra }) =>
    [
      readExtraAccess(extra) === null ? 'Run the tests' : leadWith(extra, 'Run the tests'),
      ...(selector === undefined ? [] : [JSON.stringify(selector)]),
      ...(env === undefined && command === undefined ? [] : ['with:']),
      ...Object.entries(env ?? {}).map(([name, value]) => shellWord(`${name}=${value}`)),
      ...(command ?? []),
    ].join(' '),
  present: { text: renderResult, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { files, spawn, settings: view, cwd, signal, timeoutMs, maxOutputBytes } = context
    const settings = settingsOf(view)
    const configured = settings['tools.run_tests.command']
    const folder = cwd === '.' ? '' : cwd
    const { plans, problems } = await planTests({
      selector: args.selector ?? null,
      command: args.command ?? (configured.length === 0 ? null : configured),
      folder,
      files,
      settings,
      signal,
    })
    const options: RunOptions = {
      folder,
      env: args.env ?? {},
      extraAccess: readExtraAccess(args),
      timeoutMs,
      keepBytes: settings['tools.run_tests.max_output_bytes'],
    }
    if (isDryCall(NO_ARGUMENT, context) && !spawn.mayRunDry) {
      for (const plan of plans) spawn.announce(requestFor(plan, options))
      return dryRunOf(announcedWords(plans, options))
    }
    const runs: FinishedRun[] = []
    for (const plan of plans) {
      const spent = runs.reduce((sum, { end }) => sum + end.durationMs, 0)
      const left = Math.max(1, timeoutMs - spent)
      runs.push(await runPlan(plan, { ...options, timeoutMs: left }, spawn, plans.length === 1))
    }
    const [first] = runs
    if (first !== undefined && runs.every(({ report }) => report.counts.total === 0))
      throw ranNothing(first.plan, first.end, first.report)
    return present(runs, sumUp(runs, problems, files), settings, maxOutputBytes)
  },
})

/** Runs the tests of one project. If it is one of several, a report that cannot be read is an error among the others. */
async function runPlan(
  plan: TestPlan,
  options: RunOptions,
  spawn: Spawn,
  isAlone: boolean,
): Promise<FinishedRun> {
  const end = await spawn.run(requestFor(plan, options))
  requireEnded({ ...end, ...lastOutput(end) }, plan.argv)
  const read = readReport(plan.runner?.parse ?? null, {
    stdout: removeSequences(end.stdout),
    stderr: removeSequences(end.stderr),
  })
  if (read === null || end.signal !== null) {
    const error = unreadable(plan, end, read)
    if (isAlone) throw error
    if (read === null && end.exitCode === 0 && plan.runner?.isUnknown === true)
      return { plan, end, report: reportNothing() }
    return { plan, end, report: reportProblem(plan, error) }
  }
  const report = onlySelected(read, plan)
  if (isAlone && report.counts.total === 0) throw ranNothing(plan, end, report)
  return { plan, end, report }
}

function renderResult({ report = '', exit_code: _code, notes: _said, ...result }: Result): string {
  if (result.would_run !== undefined) return renderProcess(result)
  return [removeSequences(report), ...factsOf(result)].join('\n')
}

/** A path or name without anything that a shell, a language or a list of options could make more of. */
const PLAIN_SELECTOR = /^(?![-@])(?!.* [-@])[\p{L}\p{N}_@%+=:,./^ -]+\$?$/u
const PATH_LIKE = /[./]/

/** What looks like a path has to be named like a test; a bare name that is one is judged by what it would start. */
function isPlain(selector: string): boolean {
  if (!PLAIN_SELECTOR.test(selector) || selector.split('/').includes('..')) return false
  // What stands before `::` is a file, whatever it looks like.
  const [file = '', ...inside] = selector.split('::')
  return (inside.length === 0 && !PATH_LIKE.test(selector)) || isNamedLikeTest(file)
}

/**
 * A command given in the call is judged by its words; the project's own command is known only after looking at the
 * project.
 */
function commandOf({ command, selector, env }: Infer<typeof input>): Command | null {
  if (command === undefined) return null
  const isAltered = selector !== undefined || env !== undefined
  return {
    kind: 'words',
    words: fillIn(command, selector ?? null),
    ...(isAltered ? { isAltered } : {}),
    ...(env === undefined ? {} : { variables: Object.keys(env) }),
  }
}

function namesOf({ env = {} }: Infer<typeof input>): readonly string[] {
  return Object.keys(env)
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

const LONGEST_WORD = 200

function present(
  runs: readonly FinishedRun[],
  { printed, notes, failures, counts, runner, runs: each }: ReportParts,
  settings: Settings,
  maxOutputBytes: number,
): Result {
  const [first] = runs
  const last = runs.at(-1)
  const worst = runs.find(({ end }) => end.exitCode !== 0) ?? last
  const folder = runs.length === 1 ? (first?.plan.folder ?? '') : ''
  const words = runs.flatMap(({ plan }, at) => (at === 0 ? plan.argv : ['&&', ...plan.argv]))
  const make = (count: number, reportBytes: number): Result => {
    const shown = failures.slice(0, count)
    const parts = {
      runner: folder === '' ? runner : `${runner} in ${folder}`,
      counts,
      runs: each,
      notes,
      printed,
    }
    return {
      ...counts,
      report: writeReport({ ...parts, failures: shown }, reportBytes),
      failures: shown,
      truncated: shown.length < Math.max(failures.length, counts.failed + counts.errors),
      runner,
      command: words.map((word) => ellipsis(word, LONGEST_WORD)),
      ...(folder === '' ? {} : { folder }),
      ...(worst === undefined ? {} : { exit_code: worst.end.exitCode }),
      duration_ms: Math.round(runs.reduce((sum, { end }) => sum + end.durationMs, 0)),
      ...(notes.length === 0 ? {} : { notes: [...notes] }),
      ...(last === undefined ? {} : factsForResult(last.end)),
    }
  }
  let count = Math.min(settings['tools.run_tests.max_failures'], failures.length)
  let reportBytes = settings['tools.run_tests.max_report_bytes']
  for (;;) {
    const result = make(count, reportBytes)
    if (byteLength(JSON.stringify(result)) <= maxOutputBytes || (count === 0 && reportBytes < 64))
      return result
    count = Math.floor(count / 2)
    reportBytes = Math.floor(reportBytes / 2)
  }
}
