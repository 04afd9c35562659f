import { parseJestJson } from '../test-reports/parse-jest-json.ts'
import { findPackageProgram, PACKAGE_PROGRAMS } from './package-json.ts'
import { plainPath, runnerProgramOf } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

/** Jest, from the project's own packages. Its output for people goes to stderr, its report to stdout. */
export const jest: TestRunner = {
  name: 'jest',
  looksFor: 'jest in package.json, or a jest.config file',
  detect: (project) => findPackageProgram(project, 'jest', [], /^jest\.config\.([cm]?[jt]s|json)$/),
  recognises: (argv) => runnerProgramOf(argv) === 'jest',
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...argv,
      '--json',
      '--testLocationInResults',
      '--passWithNoTests',
      ...(selection.is === 'name' ? [`--testNamePattern=${selection.text}`] : []),
      // A folder is passed as a pattern for the paths of test files.
      ...(selection.is === 'path' && selection.isFolder ? [`${quote(plainPath(selection.path))}/`] : []),
      ...(selection.is === 'path' && !selection.isFolder
        ? ['--runTestsByPath', plainPath(selection.path)]
        : []),
    ],
  }),
  parse: parseJestJson,
  skipsUnselected: true,
  machineStream: 'stdout',
  env: { NO_COLOR: '1' },
  programs: PACKAGE_PROGRAMS,
}

function quote(path: string): string {
  return path.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')
}
