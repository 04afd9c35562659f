import { parseCargo } from '../test-reports/parse-cargo.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

/** Cargo's own test command. */
export const cargo: TestRunner = {
  name: 'cargo',
  looksFor: 'Cargo.toml',
  detect: (project) =>
    project.has('Cargo.toml') ? { is: 'found', argv: ['cargo', 'test'], why: 'there is Cargo.toml' } : null,
  recognises: (argv) => /(^|\/)cargo$/.test(argv[0] ?? '') && (argv[1] === 'test' || argv[1] === 't'),
  compose,
  parse: parseCargo,
}

function compose(
  [program = 'cargo', verb = 'test', ...rest]: readonly string[],
  selection: Selection,
): Composed {
  const end = rest.indexOf('--')
  const own = end === -1 ? rest : rest.slice(0, end)
  const others = end === -1 ? [] : rest.slice(end)
  const options = ['--no-fail-fast', '--color=never']
  const filter = filterOf(selection)
  if (filter.startsWith('-') && selection.is === 'name')
    return { ok: false, problem: 'the name of a Rust test does not begin with a hyphen' }
  return {
    ok: true,
    argv: [program, verb, ...options, ...own, ...(filter === '' ? [] : [filter]), ...others],
  }
}

/** Cargo knows files only as the names of whole test programs; anything else is part of a test's name. */
function filterOf(selection: Selection): string {
  if (selection.is === 'all') return ''
  if (selection.is === 'name') return selection.text
  const program = /(?:^|\/)tests\/([\w-]+)\.rs$/.exec(selection.path)?.[1]
  return program === undefined
    ? selection.path.replace(/^.*\//, '').replace(/\.rs$/, '')
    : `--test=${program}`
}
