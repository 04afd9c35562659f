import { parseMochaJson } from '../test-reports/parse-mocha-json.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf, withoutOptions } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const UNWANTED =
  /^(?:--watch|-w|--reporter(?:=.*)?|-R|--reporter-options?(?:=.*)?|-O|--bail|-b|--colou?rs?|-c)$/
const WITH_VALUE = /^(?:--reporter|-R|--reporter-options?|-O)$/
/** Options that take the next word, which is then not a file. */
const OPTION_VALUE =
  /^(?:-r|--require|-t|--timeout|--timeouts|-s|--slow|-u|--ui|--config|--package|--extension|--file|--ignore|--exclude|--retries|-j|--jobs|-n|--node-option|-g|--grep|-f|--fgrep|--import|--loader|-p|--project)$/

/** Mocha, from the project's own packages. Its report goes to stderr where its version can do that. */
export const mocha: TestRunner = {
  name: 'mocha',
  looksFor: 'mocha in package.json, or a .mocharc file',
  detect: (project) => findPackageProgram(project, 'mocha', [], /^\.mocharc\.(?:[cm]?js|json|jsonc|ya?ml)$/),
  recognises: (argv) => ['mocha', '_mocha', 'ts-mocha'].includes(runnerProgramOf(argv)),
  compose,
  parse: parseMochaJson,
  runsOn: 'package',
}

function compose(argv: readonly string[], selection: Selection): Composed {
  const words = withoutOptions(argv, UNWANTED, WITH_VALUE)
  return {
    ok: true,
    argv: [
      ...(selection.is === 'path' ? withoutFiles(words) : words),
      '--reporter=json',
      '--reporter-option=output=/dev/stderr',
      ...(selection.is === 'name' ? [`--grep=${selection.text}`] : []),
      ...(selection.is === 'path'
        ? [...(selection.isFolder ? ['--recursive'] : []), plainPath(selection.path)]
        : []),
    ],
  }
}

/** The words without the files that all tests are in. */
function withoutFiles([program = '', ...rest]: readonly string[]): readonly string[] {
  return [
    program,
    ...rest.filter((word, at) => word.startsWith('-') || OPTION_VALUE.test(rest[at - 1] ?? '')),
  ]
}
