import { parseJunit } from '../test-reports/parse-junit.ts'
import { plainPath, runnerProgramOf } from './test-runner.ts'
import type { Project, TestRunner } from './test-runner.ts'

const TEST_FILE = /^(test_.*|.*_test)\.py$/

/** Pytest. Its output for people goes to stdout, its report to stderr. */
export const pytest: TestRunner = {
  name: 'pytest',
  looksFor:
    'pytest.ini, conftest.py, pytest in pyproject.toml, setup.cfg or tox.ini, or files named like test_a.py',
  async detect(project) {
    const why = await findReason(project)
    return why === null ? null : { is: 'found', argv: ['pytest'], why }
  },
  recognises: (argv) => ['pytest', 'py.test'].includes(runnerProgramOf(argv)),
  compose: (argv, selection) => ({
    ok: true,
    argv: [
      ...argv,
      '-o',
      'junit_family=xunit1',
      '--junitxml=/dev/stderr',
      '--continue-on-collection-errors',
      '--color=no',
      // An expression attached to its option cannot be mistaken for another option.
      ...(selection.is === 'name' && !selection.text.includes('::') ? [`-k${selection.text}`] : []),
      ...(selection.is === 'name' && selection.text.includes('::') ? [plainPath(selection.text)] : []),
      ...(selection.is === 'path' ? [plainPath(selection.path)] : []),
    ],
  }),
  parse: parseJunit,
  machineStream: 'stderr',
  env: { PYTHONDONTWRITEBYTECODE: '1' },
}

async function findReason(project: Project): Promise<string | null> {
  for (const name of ['pytest.ini', '.pytest.ini', 'conftest.py', 'tests/conftest.py'])
    if (project.has(name)) return `there is ${name}`
  const sections: readonly (readonly [string, RegExp])[] = [
    ['pyproject.toml', /^\[tool\.pytest|["']pytest\b/m],
    ['setup.cfg', /^\[tool:pytest\]/m],
    ['tox.ini', /^\[pytest\]/m],
  ]
  for (const [name, section] of sections)
    if (section.test(project.read(name) ?? '')) return `${name} mentions pytest`
  const [first] = await project.find((name) => TEST_FILE.test(name), 1)
  return first === undefined ? null : `there is ${first}`
}
