import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { readFirstAttributes, writeArchive } from './pax.ts'
import type { ArchivedFile, Attributes } from './pax.ts'
import { platform } from '../system/platform.ts'

/** Node has no call for extended attributes; the archiver of every Linux system reads and writes them. */
const ARCHIVERS = ['/usr/bin/tar', '/bin/tar']
const ALL_ATTRIBUTES = ['--xattrs', '--xattrs-include=*', '--format=posix']
/** Programs that read attributes answer at once; one that hangs must not hold an edit up. */
const TIMEOUT_MS = 10_000

let archiver: string | null | undefined

/** Whether extended attributes can be read and written on this machine. */
export function supportsAttributes(): boolean {
  archiver ??= platform === 'linux' ? findTrustedProgram(ARCHIVERS) : null
  return archiver !== null
}

/** Which of some files have extended attributes, by their places in the list; links in the last part are not followed. */
export function findAttributed(paths: readonly string[]): ReadonlySet<number> {
  const all = new Set(paths.keys())
  // An archive that goes nowhere makes it look without reading any content.
  const listing = run(['-cvvP', '--no-recursion', '-f', '/dev/null', ...ALL_ATTRIBUTES, '--', ...paths])
  const lines = listing?.toString().trimEnd().split('\n') ?? []
  if (!supportsAttributes()) return new Set()
  // One line for each, or it is not known which is which.
  return lines.length === paths.length ? new Set([...all].filter((at) => lines[at]?.[10] === '*')) : all
}

/** The extended attributes of an open file, by its system path. */
export function readAttributes(path: string): Attributes {
  const archive = run(['-chP', '-f', '-', ...ALL_ATTRIBUTES, '--', path])
  return archive === null ? new Map() : readFirstAttributes(archive)
}

/** Makes a file with everything that belongs to it in a folder; false where the system would not. */
export function createWithAttributes(folderPath: string, file: ArchivedFile): boolean {
  const options = ['--same-owner', '--numeric-owner', '-p', '-m', '--xattrs', '--xattrs-include=*']
  return run(['-x', '-f', '-', ...options], folderPath, writeArchive(file)) !== null
}

function run(args: readonly string[], cwd = '/', input?: Uint8Array): Buffer | null {
  if (!supportsAttributes() || typeof archiver !== 'string') return null
  const { status, stdout, error } = spawnSync(archiver, args, {
    cwd,
    env: { LC_ALL: 'C' },
    timeout: TIMEOUT_MS,
    maxBuffer: Infinity,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
    ...(input === undefined ? {} : { input }),
  })
  // An archiver of another make does not know these options, and says so before it does anything.
  if (error !== undefined || (status === 1 && stdout.length === 0)) archiver = null
  return status === 0 ? stdout : null
}
