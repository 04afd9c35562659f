import { createHash } from 'node:crypto'
import * as fs from 'node:fs'

/** Everything a person or a build tool could notice about the names below a folder, by path. */
export type Files = ReadonlyMap<string, string>

const SLASH = Buffer.from('/')
const NANOSECONDS = 9

/**
 * Describes a folder with nothing of Tongs: kind, mode, owner, number of names, time of the content, where a link leads
 * and a digest. Times and counts of folders are left out: they tell about the names in them. Names are taken byte by byte.
 */
export function describeFiles(folder: string): Files {
  const files = new Map<string, string>()
  visit(Buffer.from(folder), '', files)
  return files
}

function visit(folder: Buffer, prefix: string, files: Map<string, string>): void {
  for (const name of fs.readdirSync(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([folder, SLASH, name])
    const shown = `${prefix}${name.toString('latin1')}`
    const stat = fs.lstatSync(path, { bigint: true })
    files.set(shown, describeOne(path, stat))
    if (stat.isDirectory()) visit(path, `${shown}/`, files)
  }
}

function describeOne(path: Buffer, stat: fs.BigIntStats): string {
  const owned = `0${(stat.mode & 0o7777n).toString(8)} ${stat.uid}:${stat.gid}`
  if (stat.isDirectory()) return `d ${owned}`
  const digits = String(stat.mtimeNs).padStart(NANOSECONDS + 1, '0')
  const time = `${digits.slice(0, -NANOSECONDS)}.${digits.slice(-NANOSECONDS)}`
  const target = stat.isSymbolicLink() ? fs.readlinkSync(path, { encoding: 'buffer' }).toString('latin1') : ''
  const sum = stat.isFile() ? createHash('sha256').update(fs.readFileSync(path)).digest('hex') : ''
  return `${kindOf(stat)} ${owned} ${stat.nlink} ${time} ${target} ${sum}`
}

function kindOf(stat: fs.BigIntStats): string {
  if (stat.isFile()) return 'f'
  if (stat.isSymbolicLink()) return 'l'
  if (stat.isFIFO()) return 'p'
  if (stat.isSocket()) return 's'
  return stat.isBlockDevice() ? 'b' : 'c'
}

/** How a folder differs from what it should be, one line for each name. */
export function compareFiles(expected: Files, found: Files): readonly string[] {
  return [...new Set([...expected.keys(), ...found.keys()])]
    .toSorted()
    .filter((path) => expected.get(path) !== found.get(path))
    .map(
      (path) => `${path}: expected ${expected.get(path) ?? 'nothing'}, found ${found.get(path) ?? 'nothing'}`,
    )
}

/** The same without times: what another run of the same command leaves. */
export function withoutTimes(files: Files, isLeftOut: (path: string) => boolean = () => false): Files {
  const rest = [...files].filter(([path]) => !isLeftOut(path))
  return new Map(rest.map(([path, line]) => [path, line.replace(/ \d+\.\d+ /, ' ')]))
}
