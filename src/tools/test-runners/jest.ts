import { parseJestJson } from '../test-reports/parse-jest-json.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf, withoutOptions } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

const WAITING = /^--(?:watch|watchAll|notify)(?:=|$)/
const REPORTING = /^(?:--json|--outputFile(?:=.*)?|--reporters?=.*|--reporters?)$/
const REPORTING_VALUE = /^--(?:outputFile|reporters?)$/
/** Programs with `test` as a command of their own, which is jest. */
const AROUND: ReadonlySet<string> = new Set(['react-scripts', 'craco'])

/** Jest, from the project's own packages. Its output for people goes to stderr, its report to stdout. */
export const jest: TestRunner = {
  name: 'jest',
  looksFor: 'jest in package.json, or a jest.config file',
  detect: (project) => findPackageProgram(project, 'jest', [], /^jest\.config\.([cm]?[jt]s|json)$/),
  recognises: (argv) =>
    runnerProgramOf(argv) === 'jest' || (AROUND.has(runnerProgramOf(argv)) && argv.includes('test')),
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...withoutOptions(withoutOptions(argv, WAITING), REPORTING, REPORTING_VALUE),
      ...(AROUND.has(runnerProgramOf(argv)) ? ['--watchAll=false'] : []),
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
  runsOn: 'package',
}

function quote(path: string): string {
  return path.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')
}
