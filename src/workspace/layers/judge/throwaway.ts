import { failure } from '../../../core/error.ts'
import { compileGlob, parseGlob } from '../../../core/glob/glob.ts'
import { folderOf, nameOf } from '../../../host/root/rel-path.ts'

/** Finds the outermost part of a path that is of a kind that never lands; null if there is none. */
export type FindThrowaway = (path: string) => string | null

/** A full cache is emptied: it only saves work. */
const MAX_CACHED = 4_096

/** Compiles globs of what never lands. They match at any depth; one that begins with a slash starts at the root. */
export function createFindThrowaway(globs: readonly string[]): FindThrowaway {
  const tests = globs.map(compileOnce)
  const folders = new Map<string, string | null>()
  const find: FindThrowaway = (path) => {
    if (path === '' || tests.length === 0) return null
    const name = nameOf(path)
    return findFolder(folderOf(path)) ?? (tests.some((test) => test(path, name)) ? path : null)
  }
  const findFolder = (folder: string): string | null => {
    const known = folders.get(folder)
    if (known !== undefined) return known
    const found = find(folder)
    if (folders.size >= MAX_CACHED) folders.clear()
    folders.set(folder, found)
    return found
  }
  return find
}

type Test = (path: string, name: string) => boolean

/** The globs are the same for command after command, and compiling them takes a millisecond. */
const compiled = new Map<string, Test>()

function compileOnce(glob: string): Test {
  const test = compiled.get(glob) ?? compile(glob)
  if (compiled.size >= MAX_CACHED) compiled.clear()
  compiled.set(glob, test)
  return test
}

const NOT_LITERAL = /[*?[\]{}\\!]/

function compile(glob: string): Test {
  const plain = glob.replace(/\/(?:\*\*)?$/, '')
  const parsed = parseGlob(plain.startsWith('/') ? plain.slice(1) : `**/${plain.replace(/^\*\*\//, '')}`)
  if (parsed.ok) {
    const test = compileGlob(parsed.glob)
    const last = nameOf(plain)
    // Most names end here.
    return NOT_LITERAL.test(last) ? test : (path, name) => name === last && test(path)
  }
  throw failure('bad_args', `Cannot parse the pattern ${glob}: ${parsed.message}.`, { pattern: glob }, [
    'Correct tools.shell.throwaway.',
  ])
}
