import type { Files, ProcessEnd } from '../../core/powers.ts'
import { removeSequences } from '../../core/text/display/escape-sequences.ts'
import type { ToolFailure } from '../../core/error.ts'
import { countsOf } from '../test-reports/test-report.ts'
import type { TestCounts, TestFailure, TestReport } from '../test-reports/test-report.ts'
import type { ReportParts } from '../test-reports/write-report.ts'
import type { TestPlan } from './plan-tests.ts'
import { adviceOn } from './failed-run.ts'

/** A run that has ended, with its report. */
export interface FinishedRun {
  readonly plan: TestPlan
  readonly end: ProcessEnd
  readonly report: TestReport
}

/** Sums up the runs of a call. File names become relative to the root. */
export function sumUp(runs: readonly FinishedRun[], problems: readonly string[], files: Files): ReportParts {
  const counts = countsOf({
    passed: sum(runs, 'passed'),
    failed: sum(runs, 'failed'),
    errors: sum(runs, 'errors'),
    skipped: sum(runs, 'skipped'),
  })
  const failures = runs.flatMap(({ plan, report }) =>
    report.failures.map((each) => nameFiles(each, plan.folder, files)),
  )
  const isExplained = failures.length >= counts.failed + counts.errors && !runs.some(endedBadly)
  return {
    runner: [...new Set(runs.map(runnerOf))].join(', '),
    counts,
    runs:
      runs.length === 1
        ? []
        : runs.map((run) => ({ folder: run.plan.folder, runner: runnerOf(run), counts: run.report.counts })),
    failures,
    notes: [...(runs.length === 1 ? runs.flatMap(notesOn) : notesByFolder(runs)), ...problems],
    printed: isExplained
      ? ''
      : runs
          .map(printedFor)
          .filter((text) => text !== '')
          .join('\n'),
  }
}

const NO_REPORT = 'The command ended well, but reports no tests.'

/** Stands for the report of a command that ended well and reports no tests, such as a check of types, beside others. */
export function reportNothing(): TestReport {
  return { counts: countsOf({}), failures: [] }
}

/** Stands for the report of a run that has none, beside others that have. */
export function reportProblem({ folder }: TestPlan, { error }: ToolFailure): TestReport {
  const failure = { name: folder === '' ? '.' : folder, file: null, line: null, message: error.message }
  return { counts: countsOf({ errors: 1 }), failures: [failure] }
}

function sum(runs: readonly FinishedRun[], name: keyof TestCounts): number {
  return runs.reduce((total, { report }) => total + report.counts[name], 0)
}

function runnerOf({ plan: { runner, argv } }: FinishedRun): string {
  return runner?.name ?? argv[0] ?? 'unknown'
}

/** A runner that is not content although no test failed. */
function endedBadly({ end, report: { counts } }: FinishedRun): boolean {
  return end.exitCode !== 0 && counts.failed + counts.errors === 0
}

/** What there is to note about several runs: each sentence once, with the folders that it is about. */
function notesByFolder(runs: readonly FinishedRun[]): readonly string[] {
  const all = runs.flatMap((run) => notesOn(run).map((note) => ({ note, folder: run.plan.folder || '.' })))
  return [...Map.groupBy(all, ({ note }) => note)].map(
    ([note, rows]) => `${rows.map(({ folder }) => folder).join(', ')}: ${note}`,
  )
}

function notesOn(run: FinishedRun): readonly string[] {
  const { plan, end, report } = run
  const { counts } = report
  const isGreen = end.exitCode === 0 && counts.failed + counts.errors === 0
  return [
    ...(counts.total > 0 && counts.skipped === counts.total ? ['Every test was skipped.'] : []),
    ...(endedBadly(run)
      ? [`The runner ended with exit code ${end.exitCode ?? 'unknown'} although no test failed.`]
      : []),
    ...(isGreen && counts.total === 0 ? [NO_REPORT] : []),
    ...(isGreen ? [] : adviceOn(plan)),
    ...plan.others.map((words) => `The script of the project also runs ${words}. That was left out.`),
  ]
}

function printedFor({ plan: { runner }, end }: FinishedRun): string {
  const own = { ...end, ...(runner?.machineStream === undefined ? {} : { [runner.machineStream]: '' }) }
  return [own.stdout, own.stderr]
    .map((text) => removeSequences(text).trim())
    .filter((text) => text !== '')
    .join('\n')
}

/** Runners name files absolutely, or from the folder that they run in. */
function nameFiles(failed: TestFailure, folder: string, files: Files): TestFailure {
  const root = files.follow('.')?.place ?? ''
  const relative = (path: string): string =>
    root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  const inFolder = (path: string): string => {
    if (folder === '' || path.startsWith('/')) return path
    return files.follow(`${folder}/${path}`) === null ? path : `${folder}/${path}`
  }
  return {
    ...failed,
    name: removeSequences(relative(failed.name)),
    file: failed.file === null ? null : relative(inFolder(failed.file)),
    message: removeSequences(failed.message),
  }
}
