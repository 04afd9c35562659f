import { parseTap } from '../test-reports/parse-tap.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf, withoutOptions } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const UNWANTED = /^(?:--watch|-w|--reporter(?:=.*)?|-R.*|--bail|-b|--color|-c)$/

/** Node-tap, from the project's own packages. It counts assertions. */
export const tap: TestRunner = {
  name: 'tap',
  looksFor: 'tap in package.json',
  detect: (project) => findPackageProgram(project, 'tap', [], /^\.taprc$/),
  recognises: (argv) => runnerProgramOf(argv) === 'tap',
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...withFiles(withoutOptions(argv, UNWANTED, /^(?:--reporter|-R)$/), selection),
      '--reporter=tap',
      ...(selection.is === 'name' ? [`--grep=/${selection.text}/`] : []),
    ],
  }),
  parse: parseTap,
  runsOn: 'package',
}

/** Tape, from the project's own packages. It always prints its report, and cannot select by name. */
export const tape: TestRunner = {
  name: 'tape',
  looksFor: 'tape in package.json',
  detect: (project) => findPackageProgram(project, 'tape', ['test/**/*.js'], /^(?!)/),
  recognises: (argv) => runnerProgramOf(argv) === 'tape',
  compose: (argv, selection): Composed =>
    selection.is === 'name'
      ? { ok: false, problem: 'tape cannot select tests by name; name a file or folder' }
      : { ok: true, argv: withFiles(argv, selection) },
  parse: parseTap,
  runsOn: 'package',
}

/** The words with the selected files instead of all of them. */
function withFiles([program = '', ...rest]: readonly string[], selection: Selection): readonly string[] {
  if (selection.is !== 'path') return [program, ...rest]
  const options = rest.filter(
    (word, at) =>
      word.startsWith('-') || word === 'run' || /^(?:-r|--require|--import)$/.test(rest[at - 1] ?? ''),
  )
  const path = plainPath(selection.path)
  return [program, ...options, selection.isFolder ? `${path}/**/*.js` : path]
}
