import { parseTap } from '../test-reports/parse-tap.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf, withoutOptions } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

/** AVA, from the project's own packages. Its report and its output for people are both on stdout. */
export const ava: TestRunner = {
  name: 'ava',
  looksFor: 'ava in package.json',
  detect: (project) => findPackageProgram(project, 'ava', [], /^ava\.config\.[cm]?js$/),
  recognises: (argv) => runnerProgramOf(argv) === 'ava',
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...withoutOptions(argv, /^(?:--watch|-w|--tap|-t|--fail-fast|--verbose|-v)$/),
      '--tap',
      // AVA's patterns are globs over the whole title.
      ...(selection.is === 'name' ? [`--match=*${selection.text}*`] : []),
      ...(selection.is === 'path' ? [plainPath(selection.path)] : []),
    ],
  }),
  parse: parseTap,
  runsOn: 'package',
}
