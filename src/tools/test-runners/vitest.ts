import { parseJestJson } from '../test-reports/parse-jest-json.ts'
import { findPackageProgram, PACKAGE_PROGRAMS } from './package-json.ts'
import { plainPath, runnerProgramOf } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

/** Vitest, from the project's own packages. Its output for people goes to stdout, its report to stderr. */
export const vitest: TestRunner = {
  name: 'vitest',
  looksFor: 'vitest in package.json, or a vitest.config file',
  detect: (project) =>
    findPackageProgram(project, 'vitest', ['run'], /^vitest\.(config|workspace)\.[cm]?[jt]s$/),
  recognises: (argv) => runnerProgramOf(argv) === 'vitest',
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...argv,
      ...(argv.includes('run') || argv.includes('--run') ? [] : ['--run']),
      '--reporter=default',
      '--reporter=json',
      '--outputFile.json=/dev/stderr',
      ...(selection.is === 'name' ? [`--testNamePattern=${selection.text}`] : []),
      ...(selection.is === 'path' ? [plainPath(selection.path)] : []),
    ],
  }),
  parse: parseJestJson,
  skipsUnselected: true,
  machineStream: 'stderr',
  env: { NO_COLOR: '1' },
  programs: PACKAGE_PROGRAMS,
}
