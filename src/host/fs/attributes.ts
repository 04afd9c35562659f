import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { readFirstAttributes, writeArchive } from './pax.ts'
import type { ArchivedFile, Attributes } from './pax.ts'
import { platform } from '../system/platform.ts'

/** Node has no API for extended attributes, but tar, which every Linux system has, reads and writes them. */
const ARCHIVERS = ['/usr/bin/tar', '/bin/tar']
const ALL_ATTRIBUTES = ['--xattrs', '--xattrs-include=*', '--format=posix']
/** Reading attributes is quick; a program that hangs must not delay an edit further. */
const TIMEOUT_MS = 10_000

let archiver: string | null | undefined

/** Whether extended attributes can be read and written on this machine. */
export function supportsAttributes(): boolean {
  archiver ??= platform === 'linux' ? findTrustedProgram(ARCHIVERS) : null
  return archiver !== null
}

/** The indexes of those files that have extended attributes; a link at the end of a path is not followed. */
export function findAttributed(paths: readonly string[]): ReadonlySet<number> {
  const all = new Set(paths.keys())
  // Archiving to /dev/null lists the files without reading their content.
  const listing = run(['-cvvP', '--no-recursion', '-f', '/dev/null', ...ALL_ATTRIBUTES, '--', ...paths])
  const lines = listing?.toString().trimEnd().split('\n') ?? []
  if (!supportsAttributes()) return new Set()
  // Without exactly one line per file, it is not clear which is which.
  return lines.length === paths.length ? new Set([...all].filter((at) => lines[at]?.[10] === '*')) : all
}

/** The extended attributes of an open file, by its system path. */
export function readAttributes(path: string): Attributes {
  const archive = run(['-chP', '-f', '-', ...ALL_ATTRIBUTES, '--', path])
  return archive === null ? new Map() : readFirstAttributes(archive)
}

/** Creates a file with owner, mode and attributes in a folder; false if the system refused. */
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
  // A different tar does not know these options and fails before it does anything.
  if (error !== undefined || (status === 1 && stdout.length === 0)) archiver = null
  return status === 0 ? stdout : null
}
