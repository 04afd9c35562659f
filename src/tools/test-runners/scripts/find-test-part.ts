import { readScript } from './read-script.ts'
import { readCalled } from './called-scripts.ts'
import { unwrap } from './unwrap.ts'
import type { Unwrapped } from './unwrap.ts'

/** A command in a script that runs tests. */
export interface TestPart extends Unwrapped {
  /** Where it is run, relative to the package; '' is the package itself. */
  readonly folder: string
}

/** What a script does about tests. */
export interface ScriptFindings {
  readonly parts: readonly TestPart[]
  /** The commands that come before the first part, and those that could not be understood, as they are written. */
  readonly leftOut: readonly string[]
  /** Whether it runs the tests of the packages in the workspace; the names restrict it to some. */
  readonly packages: { readonly named: readonly string[] } | null
}

const MOST_DEPTH = 6
/** How many characters of scripts are followed, as each of them may run several others. */
const MOST_FOLLOWED = 500_000

/**
 * Follows a script through the scripts it runs, and finds the commands that `isTest` knows; none if there is too much to
 * follow.
 */
export function findTestParts(
  name: string,
  scripts: ReadonlyMap<string, string>,
  isTest: (words: readonly string[]) => boolean,
): ScriptFindings {
  const parts: TestPart[] = []
  const leftOut: string[] = []
  let packages: ScriptFindings['packages'] = null
  let followed = 0

  const follow = (
    script: string,
    outer: Pick<TestPart, 'variables' | 'prefix'>,
    more: readonly string[],
    depth: number,
  ): void => {
    let folder = ''
    followed += script.length + 1
    const commands = followed > MOST_FOLLOWED ? [] : readScript(script)
    for (const [at, { text, variables, words }] of commands.entries()) {
      const isLast = at === commands.length - 1
      const before = parts.length
      if (words?.[0] === 'cd' && words.length === 2) folder = joinFolders(folder, words[1] ?? '')
      else if (words !== null)
        visit({
          ...unwrap({
            variables: { ...outer.variables, ...variables },
            prefix: outer.prefix,
            words: isLast ? [...words, ...more] : words,
          }),
          folder,
          depth,
        })
      if (parts.length === 0 && before === 0 && packages === null && depth === 0) leftOut.push(text)
    }
  }

  const visit = ({ depth, ...command }: TestPart & { readonly depth: number }): void => {
    const called = depth >= MOST_DEPTH ? null : readCalled(command.words, scripts)
    if (called === null) {
      if (isTest(command.words)) parts.push(command)
      return
    }
    if (called.is === 'packages') packages ??= { named: called.named }
    else if (called.is === 'command')
      visit({ ...unwrap({ ...command, words: called.words }), folder: command.folder, depth: depth + 1 })
    else for (const next of called.names) follow(scripts.get(next) ?? '', command, called.more, depth + 1)
  }

  const script = scripts.get(name) ?? ''
  follow(script, { variables: {}, prefix: [] }, [], 0)
  return followed > MOST_FOLLOWED
    ? { parts: [], leftOut: [script], packages: null }
    : { parts, leftOut, packages }
}

function joinFolders(folder: string, next: string): string {
  const path = next.replace(/^\.\//, '').replace(/\/$/, '')
  if (path === '.' || path === '') return folder
  return folder === '' ? path : `${folder}/${path}`
}
