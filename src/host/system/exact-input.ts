import { Buffer } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'

/** What stands in a text for bytes that are not UTF-8; as a name it may be that of another file. */
const REPLACED = '\uFFFD'

/** Something this process was started with that is not UTF-8, so that its text could mean another file or folder. */
export type InexactInput =
  | { readonly is: 'word'; readonly text: string }
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'folder' }

/** Variables that name a place. */
const NAMES_PLACE = /^(?:TONGS_|XDG_|HOME$)/

/** The first of the words, the variables that name a place, and the working folder whose text is not what it is; null if there is none. */
export function findInexactInput(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): InexactInput | null {
  const word = argv.find((one) => one.includes(REPLACED))
  if (word !== undefined && !areExact(readStarted('cmdline'))) return { is: 'word', text: word }
  const name = Object.keys(env).find(
    (one) => NAMES_PLACE.test(one) && env[one]?.includes(REPLACED) === true && !isExactVariable(one),
  )
  if (name !== undefined) return { is: 'variable', name }
  return isSameFolder('.', workingFolder()) ? null : { is: 'folder' }
}

/** Whether two paths lead to the same folder; true if neither can be looked at. */
export function isSameFolder(one: string, other: string): boolean {
  if (!other.includes(REPLACED)) return true
  const [left, right] = [identityOf(one), identityOf(other)]
  return left === right
}

function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return null
  }
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    // It is gone; whoever needs it says so.
    return ''
  }
}

function isExactVariable(name: string): boolean {
  return areExact(readStarted('environ').filter((entry) => entry.toString('latin1').startsWith(`${name}=`)))
}

function areExact(texts: readonly Buffer[]): boolean {
  return texts.every((bytes) => bytes.equals(Buffer.from(bytes.toString('utf8'), 'utf8')))
}

/** The words or variables as the system has them; none where it does not say. */
function readStarted(what: 'cmdline' | 'environ'): readonly Buffer[] {
  const texts: Buffer[] = []
  let rest: Buffer
  try {
    rest = readFileSync(`/proc/self/${what}`)
  } catch {
    return texts
  }
  for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
    texts.push(rest.subarray(0, end))
    rest = rest.subarray(end + 1)
  }
  return [...texts, rest]
}
