/** One way to configure a folder of hooks, and the folder that git should find. */
export interface Spelling {
  /** For `.git/config`. */
  readonly config: string
  /** For `.git/more`, if the configuration includes it. */
  readonly more: string | null
}

type Choose = (limit: number) => number

const pick = <T>(items: readonly T[], choose: Choose): T => {
  const item = items[choose(items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const NAMES = ['tools', 'a', 'b c', 'h"k', 'x#y', 'x;y', '.hooks', 'Ünder', 'a\\b', 'end '] as const
const WAYS = ['', './', '././', 'gone/../', 'first/../', './/'] as const

/** A path as people and attackers write it. */
function randomPath(choose: Choose): string {
  const names = Array.from({ length: 1 + choose(3) }, () => pick(NAMES, choose))
  return `${pick(WAYS, choose)}${names.join(pick(['/', '//', '/./'], choose))}${pick(['', '/', '/.'], choose)}`
}

/** A value in git's notation: quoted as a whole or in parts, escaped, continued on the next line, with a comment. */
function randomValue(path: string, choose: Choose): string {
  const isQuoted = choose(3) === 0 || /[#; ]/.test(path)
  let text = ''
  for (const character of path) {
    if (character === '"' || character === '\\') text += `\\${character}`
    else text += character
    if (choose(12) === 0) text += '\\\n'
    if (!isQuoted && choose(12) === 0) text += '""'
  }
  const comment = pick(['', '', ' # ours', ' ; ours', '\t#'], choose)
  return `${isQuoted ? `"${text}"` : text}${comment}`
}

const mixCase = (word: string, choose: Choose): string =>
  Array.from(word, (letter) => (choose(2) === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('')

/** A section that names a folder of hooks. */
function randomSection(choose: Choose): string {
  const section = `[${mixCase('core', choose)}]`
  const name = mixCase('hookspath', choose)
  const value = randomValue(randomPath(choose), choose)
  const between = pick(['\n\t', ' ', '\n', '\n; x\n  '], choose)
  return `${section}${between}${name}${pick(['=', ' = ', '\t=\t'], choose)}${value}\n`
}

/** Configures a folder of hooks in the file itself or in one that it includes. */
export function randomSpelling(choose: Choose): Spelling {
  const section = randomSection(choose)
  if (choose(3) > 0) return { config: section, more: null }
  const include = pick(['[include]', '[INCLUDE]', '[includeIf "onbranch:main"]'], choose)
  return {
    config: `${include}${pick(['\n\t', ' '], choose)}path = ${pick(['more', '"more" # x', './more'], choose)}\n`,
    more: section,
  }
}
