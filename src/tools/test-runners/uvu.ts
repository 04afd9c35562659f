import { parseUvu } from '../test-reports/parse-uvu.ts'
import { findPackageProgram } from './package-json.ts'
import { plainPath, runnerProgramOf } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const OPTION_VALUE = /^(?:-r|--require|-i|--ignore|-C|--cwd)$/

/** Uvu, from the project's own packages. It takes a folder and a pattern for files, and cannot select by name. */
export const uvu: TestRunner = {
  name: 'uvu',
  looksFor: 'uvu in package.json',
  detect: (project) => findPackageProgram(project, 'uvu', [], /^(?!)/),
  recognises: (argv) => runnerProgramOf(argv) === 'uvu',
  compose,
  parse: parseUvu,
  runsOn: 'package',
}

function compose([program = '', ...rest]: readonly string[], selection: Selection): Composed {
  if (selection.is === 'all') return { ok: true, argv: [program, ...rest] }
  if (selection.is === 'name')
    return { ok: false, problem: 'uvu cannot select tests by name; name a file or folder' }
  const options = rest.filter((word, at) => word.startsWith('-') || OPTION_VALUE.test(rest[at - 1] ?? ''))
  const { path, isFolder } = selection
  if (isFolder) return { ok: true, argv: [program, ...options, plainPath(path)] }
  const at = path.lastIndexOf('/')
  const pattern = `^${path.slice(at + 1).replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')}$`
  return { ok: true, argv: [program, ...options, at === -1 ? '.' : plainPath(path.slice(0, at)), pattern] }
}
