import { readPackage } from './package-json.ts'
import { plainPath } from './test-runner.ts'
import type { Composed, Selection, TestRunner } from './test-runner.ts'

const NOTHING = (): null => null

/** A test script that starts none of the known runners; it is run whole, and its report known by its looks. */
export const script: TestRunner = {
  name: 'script',
  looksFor: 'any other test script in package.json',
  detect(project) {
    const { testName: name = null, scripts = new Map<string, string>() } = readPackage(project) ?? {}
    if (name === null) return null
    // npm runs all three.
    const texts = [`pre${name}`, name, `post${name}`].flatMap((each) => scripts.get(each) ?? [])
    return {
      is: 'found',
      argv: ['npm', 'run', name],
      why: `package.json has the script ${name}`,
      // One script runs others by their names.
      behind: { says: texts.join(' && '), text: JSON.stringify([...scripts]) },
    }
  },
  recognises: () => false,
  compose: (argv, selection): Composed => {
    if (selection.is === 'all') return { ok: true, argv }
    if (selection.is === 'path') return { ok: true, argv: [...argv, '--', plainPath(selection.path)] }
    return { ok: false, problem: 'what the test script makes of a name is not known; name a file or folder' }
  },
  parse: NOTHING,
  env: { CI: '1', NO_UPDATE_NOTIFIER: '1' },
  runsOn: 'node',
  isUnknown: true,
}

const TARGET = /^(test|check)\s*:(?!=)/m

/** A makefile with a target for tests. */
export const make: TestRunner = {
  name: 'make',
  looksFor: 'a Makefile with the target test or check',
  detect(project) {
    for (const file of ['GNUmakefile', 'makefile', 'Makefile']) {
      const text = project.read(file) ?? ''
      const target = /^test\s*:(?!=)/m.test(text) ? 'test' : TARGET.exec(text)?.[1]
      if (target !== undefined)
        return {
          is: 'found',
          argv: ['make', target],
          why: `${file} has the target ${target}`,
          behind: { says: `${file} as it is`, text },
        }
    }
    return null
  },
  recognises: () => false,
  compose: (argv, selection: Selection): Composed =>
    selection.is === 'all'
      ? { ok: true, argv }
      : { ok: false, problem: 'a target of a makefile runs all tests; name a command that runs some' },
  parse: NOTHING,
  env: { CI: '1' },
  isUnknown: true,
}
