import type { Settings } from '../../config/keys.ts'
import type { Files } from '../../core/powers.ts'
import type { ScriptBehind } from '../../core/command/script-behind.ts'
import type { ReportReader } from '../test-reports/test-report.ts'
import { programName, unwrap } from './scripts/unwrap.ts'

/** The name of a runner, as the configuration spells it. */
export type RunnerName = Exclude<Settings['tools.run_tests.runner'], 'auto'>

/** Which tests to run: all, those whose names match, or those of one file or folder. */
export type Selection =
  | { readonly is: 'all' }
  | { readonly is: 'name'; readonly text: string }
  | {
      readonly is: 'path'
      readonly path: string
      readonly isFolder: boolean
      /** The files in a folder that are named as Node names tests. */
      readonly tests?: readonly string[]
    }

/** The names by which runners find tests. */
const TEST_NAME = /(?:^|[^A-Za-z])(?:tests?|specs?|e2e)(?:[^A-Za-z]|$)|(?:Tests?|Spec)(?:[^a-z]|$)/

/** Whether a path is named like a test. Some runners run any file that they are given. */
export function isNamedLikeTest(path: string): boolean {
  return TEST_NAME.test(path)
}

/** A folder with tests, as far as detection needs it. */
export interface Project {
  /** Relative to the root; '' is the root. */
  readonly folder: string
  readonly files: Files
  /** The text of a small file in it; null if there is none. */
  readonly read: (name: string) => string | null
  /** Where a path leads, relative to the folder and with links resolved; null if tests cannot be run there. */
  readonly locate: (path: string) => { readonly path: string; readonly isFolder: boolean } | null
  /** Whether it contains a file or folder of that name. */
  readonly has: (name: string) => boolean
  /** The files below it whose names match, in order and at most `most`; ignored ones are left out. */
  readonly find: (fits: (name: string) => boolean, most: number) => Promise<readonly string[]>
}

/** Where a runner was detected, with the words that start it; or why it cannot be started. */
export type Detection =
  | {
      readonly is: 'found'
      readonly argv: readonly string[]
      readonly why: string
      readonly env?: Readonly<Record<string, string>>
      /** What the words run, where a file of the project decides it. */
      readonly behind?: ScriptBehind
    }
  | { readonly is: 'unusable'; readonly problem: string; readonly advice: string }

/** A command that is ready to start, or why it cannot take the selection. */
export type Composed =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/** What a caller can do if the tests are not found, or not those that were meant. */
export const NAME_COMMAND =
  'Name the command in `command`, as in run_tests {"command": ["make", "check"]}; to keep it, the user can set tools.run_tests.command.'

/** One way to run tests. */
export interface TestRunner {
  readonly name: RunnerName
  /** What in a project indicates this runner. */
  readonly looksFor: string
  readonly detect: (project: Project) => Promise<Detection | null> | Detection | null
  /** Whether these words start it, so that report options can be added. */
  readonly recognises: (argv: readonly string[]) => boolean
  /**
   * Adds report options and the selected tests to the words, and takes out what would wait for changes of files. A
   * selection is always one word that cannot be an option.
   */
  readonly compose: (argv: readonly string[], selection: Selection) => Composed
  readonly parse: ReportReader
  /** Whether tests that a name did not select are reported as skipped, so that `skipped` tells nothing. */
  readonly skipsUnselected?: boolean
  /** The stream that carries nothing but the machine-readable report. */
  readonly machineStream?: 'stdout' | 'stderr'
  readonly env?: Readonly<Record<string, string>>
  /** Whether it runs on Node, with the programs of the project's packages; or also is one of them. */
  readonly runsOn?: 'node' | 'package'
  /** Whether it hands a selection to a program that may do anything with it. */
  readonly isUnknown?: boolean
}

/** The program that a command line ultimately starts: behind `npx` and the like, and behind `python -m`. */
export function runnerProgramOf(argv: readonly string[]): string {
  const {
    words: [outer = '', ...rest],
  } = unwrap({ variables: {}, prefix: [], words: argv })
  const first = programName(outer)
  const words = rest.filter((word) => !word.startsWith('-')).map(programName)
  if (first === 'pnpm' || first === 'yarn' || first === 'npm')
    return (words[0] === 'exec' || words[0] === 'dlx' ? words[1] : words[0]) ?? ''
  if (/^python[\d.]*$/.test(first) && rest[0] === '-m') return rest[1] ?? ''
  if (first === 'uv' || first === 'poetry' || first === 'pipenv' || first === 'hatch' || first === 'pdm')
    return words[0] === 'run' ? (words[1] ?? '') : ''
  return first
}

/** A path that no program mistakes for an option, or for a file to read options from. */
export function plainPath(path: string): string {
  return /^[-@]/.test(path) ? `./${path}` : path
}

/** The words without certain options; those in `takesValue` go together with the word after them. */
export function withoutOptions(
  words: readonly string[],
  unwanted: RegExp,
  takesValue: RegExp | null = null,
): readonly string[] {
  return words.filter((word, at) => {
    if (unwanted.test(word)) return false
    const before = words[at - 1]
    return takesValue === null || before === undefined || !takesValue.test(before)
  })
}
