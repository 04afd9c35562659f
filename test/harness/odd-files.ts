import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a hostile clone may have in the place of a file, by its name; each makes one at a path. */
export const ODD_FILES: Readonly<Record<string, (path: string) => void>> = {
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a link to a terminal': (path) => symlinkSync('/dev/tty', path),
  'a named pipe': (path) => {
    execFileSync('mkfifo', [path])
  },
  'a link to a named pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`])
    symlinkSync(`${path}.pipe`, path)
  },
  'a link out of the project': (path) => symlinkSync('/etc/passwd', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to a file of the kernel': (path) => symlinkSync('/proc/self/environ', path),
  'a folder': (path) => {
    mkdirSync(path)
    writeFileSync(join(path, 'x'), '')
  },
  'a huge file': (path) => {
    writeFileSync(path, '')
    truncateSync(path, 100 * 1024 ** 3)
  },
}

/** Puts one of them at a path, in the place of what is there. */
export function putOdd(path: string, kind: string): void {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true, recursive: true })
  ODD_FILES[kind]?.(path)
}
