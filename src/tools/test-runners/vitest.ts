import { parseJestJson } from '../test-reports/parse-jest-json.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf, withoutOptions } from './test-runner.ts'
import type { TestRunner } from './test-runner.ts'

const WAITING = /^(?:--watch|-w|--ui|--open|--standalone)(?:=|$)|^--run$/
const REPORTING = /^--(?:reporter|outputFile)(?:[.=]|$)/
const REPORTING_VALUE = /^--(?:reporter|outputFile(?:\.\w+)?)$/

/** Vitest, from the project's own packages. Its output for people goes to stdout, its report to stderr. */
export const vitest: TestRunner = {
  name: 'vitest',
  looksFor: 'vitest in package.json, or a vitest.config file',
  detect: (project) =>
    findPackageProgram(project, 'vitest', ['run'], /^vitest\.(config|workspace)\.[cm]?[jt]s$/),
  recognises: (argv) => runnerProgramOf(argv) === 'vitest' && !argv.includes('bench'),
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...once(withoutOptions(withoutOptions(argv, WAITING), REPORTING, REPORTING_VALUE)),
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
  runsOn: 'package',
}

/** Without the word that makes it stay, and with the one that makes it run once. */
function once(argv: readonly string[]): readonly string[] {
  const at = argv.findIndex((word) => word === 'watch' || word === 'dev')
  if (at !== -1 && /(?:^|\/)vitest$/.test(argv[at - 1] ?? '')) return argv.with(at, 'run')
  return argv.includes('run') ? argv : [...argv, '--run']
}
