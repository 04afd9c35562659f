import { parseGo } from '../test-reports/parse-go.ts'
import type { Selection, TestRunner } from './test-runner.ts'

/** Go's own test command. */
export const go: TestRunner = {
  name: 'go',
  looksFor: 'go.mod',
  detect: (project) =>
    project.has('go.mod') ? { is: 'found', argv: ['go', 'test'], why: 'there is go.mod' } : null,
  recognises: (argv) => /(^|\/)go$/.test(argv[0] ?? '') && argv[1] === 'test',
  compose: ([program = 'go', , ...rest], selection) => ({
    ok: true,
    argv: [
      program,
      'test',
      ...(rest.includes('-json') ? [] : ['-json']),
      ...(selection.is === 'name' ? [`-run=${selection.text}`] : []),
      ...rest,
      ...packagesOf(rest, selection),
    ],
  }),
  parse: parseGo,
  machineStream: 'stdout',
}

/** A file belongs to the package of its folder. */
function packagesOf(rest: readonly string[], selection: Selection): readonly string[] {
  if (selection.is !== 'path') return rest.some((word) => !word.startsWith('-')) ? [] : ['./...']
  const { path, isFolder } = selection
  if (isFolder) return [`./${path}/...`]
  return [path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.']
}
