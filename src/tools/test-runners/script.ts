import { readPackage } from './package-json.ts'
import { isRemadeByRule } from './remade-makefile.ts'
import { NAME_COMMAND, plainPath } from './test-runner.ts'
import type { Composed, Project, Selection, TestRunner } from './test-runner.ts'

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
/** In this order make looks for them, and takes the first that is there. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']
/**
 * What makes other files part of a makefile: directives in all their spellings, output of a shell, further makes and
 * files for them.
 */
const BEYOND_ITSELF = /include\b|!\s*=|\bMAKE\w*\b|\b[bgp]?make\b|^[^\S\r\n\u2028\u2029]*(?:-?load|define)\b/m
/** Folders with older versions, from which make takes a file. */
const VERSIONS = /^(?:rcs|sccs)$/i

/**
 * All that decides what make runs: the makefile, and what else is there that make could remake it from, such as
 * Makefile.sh. Null if other files decide it too.
 */
function allOf(project: Project, file: string, text: string): string | null {
  if (BEYOND_ITSELF.test(text) || callsFunction(text) || isRemadeByRule(file, text)) return null
  const beside: (readonly [name: string, text: string | null])[] = []
  project.files.walk(project.folder === '' ? '.' : project.folder, ({ name, kind }) => {
    if (VERSIONS.test(name)) beside.push([name, null])
    else if (kind !== 'dir' && /makefile/i.test(name) && name !== file)
      beside.push([name, project.read(name)])
    return 'pass'
  })
  if (beside.some(([, itsText]) => itsText === null)) return null
  return JSON.stringify([file, text, beside.toSorted()])
}

/** Whether it calls a function: there are blanks in what a dollar sign begins. */
function callsFunction(text: string): boolean {
  let isOpen = false
  for (const [sign] of text.matchAll(/\$[({]|[)}\s]/g)) {
    if (isOpen && sign.trim() === '') return true
    isOpen = sign.startsWith('$')
  }
  return false
}

/** A makefile with a target for tests. */
export const make: TestRunner = {
  name: 'make',
  looksFor: 'a Makefile with the target test or check',
  detect(project) {
    const file = MAKEFILES.find(project.has)
    if (file === undefined) return null
    const text = project.read(file)
    if (text === null)
      return {
        is: 'unusable',
        problem: `${file} is too large, or cannot be read`,
        advice: NAME_COMMAND,
      }
    const target = /^test\s*:(?!=)/m.test(text) ? 'test' : TARGET.exec(text)?.[1]
    if (target !== undefined)
      return {
        is: 'found',
        argv: ['make', target],
        why: `${file} has the target ${target}`,
        behind: { says: `${file} as it is`, text: allOf(project, file, text) },
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
