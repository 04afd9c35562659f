import { execFileSync } from 'node:child_process'

/** Everything a person or a build tool could notice about the names below a folder, by path. */
export type Files = ReadonlyMap<string, string>

const MOST_BYTES = 1024 ** 3
/** Kind, mode, owner, number of names, time of the content, where a link leads, and the path. */
const FORMAT = String.raw`%y\0%#m %U:%G\0%n %T@ %l\0%P\0`
const FIELDS = 4
/** No name holds it. */
const BETWEEN = '\0//\0'
const LOOK = `find . -mindepth 1 -printf '${FORMAT}'; printf '${String.raw`\0//\0`}'; find . -type f -print0 | xargs -0 -r sha256sum -z`

/**
 * Describes a folder with programs that have nothing to do with Tongs. Times and counts of folders are left out: they
 * tell about the names in them.
 */
export function describeFiles(folder: string): Files {
  const [names = '', sums = ''] = execFileSync('sh', ['-c', LOOK], {
    cwd: folder,
    encoding: 'latin1',
    maxBuffer: MOST_BYTES,
  }).split(BETWEEN)
  const fields = names.split('\0')
  const digests = new Map(sums.split('\0').map((line) => [line.slice(68), line.slice(0, 64)]))
  const files = new Map<string, string>()
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [kind, mode, rest, path = ''] = fields.slice(at, at + FIELDS)
    files.set(path, kind === 'd' ? `d ${mode}` : `${kind} ${mode} ${rest} ${digests.get(path) ?? ''}`)
  }
  return files
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
