import { parseJunit } from '../test-reports/parse-junit.ts'
import { plainPath, runnerProgramOf } from './test-runner.ts'
import type { Project, TestRunner } from './test-runner.ts'

const MOST_FILES = 50
const TEST_FILE = /^(test_.*|.*_test)\.py$/

/** Pytest. Its output for people goes to stdout, its report to stderr. */
export const pytest: TestRunner = {
  name: 'pytest',
  looksFor:
    'pytest.ini, conftest.py, pytest in pyproject.toml, setup.cfg or tox.ini, or files named like test_a.py',
  async detect(project) {
    const why = await findReason(project)
    if (why === null) return null
    const own = ENVIRONMENTS.find((folder) => project.has(`${folder}/bin/pytest`))
    return {
      is: 'found',
      argv: [own === undefined ? 'pytest' : `${own}/bin/pytest`],
      why,
      env: sourcesOf(project),
    }
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
      // A progress bar of a plug-in would be most of the output.
      '-p',
      'no:sugar',
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

/** Where projects keep a Python environment of their own. */
const ENVIRONMENTS = ['.venv', 'venv', 'env']

/** Packages in `src` are otherwise found only once they are installed. */
export function sourcesOf(project: Project): Readonly<Record<string, string>> {
  const settings = ['pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini'].map(
    (name) => project.read(name) ?? '',
  )
  const isSet = settings.some((text) => /^[ \t]*pythonpath[ \t]*=/m.test(text))
  return project.has('src') && !project.has('src/__init__.py') && !isSet ? { PYTHONPATH: 'src' } : {}
}

/** Whether Python source imports a module. Blanks end with their line, or each line would be read from all before it. */
export function importsModule(text: string, module: 'pytest' | 'unittest'): boolean {
  return new RegExp(`^[ \\t]*(?:import|from) ${module}\\b`, 'm').test(text)
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
  const found = await project.find((name) => TEST_FILE.test(name), MOST_FILES)
  // What only unittest is imported for runs without pytest, which may not be there.
  const text = found.map((path) => project.read(path) ?? '').join('\n')
  if (importsModule(text, 'unittest') && !importsModule(text, 'pytest') && !/^def test_/m.test(text))
    return null
  return found[0] === undefined ? null : `there is ${found[0]}`
}
