import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { errnoOf } from './errno.ts'
import { readAllAttributes, readFirstAttributes, writeArchive } from './pax.ts'
import type { ArchivedFile, ArchivedFolder, Attributes } from './pax.ts'
import { nativeSource } from '../native/load-native.ts'
import type { NativeSource } from '../native/load-native.ts'
import type { Native } from '../native/native.ts'
import { platform } from '../system/platform.ts'

/**
 * Node has no API for extended attributes, but tar, which every Linux system has, reads and writes them. Where there is
 * native code it reads them, without another process and without the content of the files.
 */
const ARCHIVERS = ['/usr/bin/tar', '/bin/tar']
export const ALL_ATTRIBUTES = ['--xattrs', '--xattrs-include=*', '--format=posix']
/** The largest file whose attributes tar is asked for: it reads the content too, and in memory. */
const MOST_READ_BYTES = 64 * 1024 ** 2
/** The errors that say that a program cannot be started here at all. */
const NO_PROGRAM = new Set(['ENOENT', 'EACCES', 'ENOEXEC', 'ENOTDIR'])
/** Reading attributes is quick; a program that hangs must not delay an edit further. */
const TIMEOUT_MS = 10_000

let archiver: string | null | undefined

/** Whether extended attributes can be read and written on this machine. */
export function supportsAttributes(): boolean {
  return findArchiver() !== null
}

/** Whether the attributes of a file of this size are read at all. */
export function areAttributesRead(bytes: number): boolean {
  return bytes <= MOST_READ_BYTES || nativeSource()('needed') !== null
}

/** The tar that reads and writes extended attributes here, or null. */
export function findArchiver(): string | null {
  archiver ??= platform === 'linux' ? findTrustedProgram(ARCHIVERS) : null
  return archiver
}

/** The indexes of those files that have extended attributes; a link at the end of a path is not followed. */
export function findAttributed(
  paths: readonly string[],
  natives: NativeSource = nativeSource(),
): ReadonlySet<number> {
  if (!supportsAttributes()) return new Set()
  // What lands needs native code anyway, and another process for each edit takes longer than the edit.
  const native = natives('needed')
  const told = native === null ? [null] : paths.map((path) => native.hasAttributes(path))
  return told.includes(null) ? findByArchiver(paths) : new Set(paths.keys().filter((at) => told[at] === true))
}

function findByArchiver(paths: readonly string[]): ReadonlySet<number> {
  const all = new Set(paths.keys())
  // Archiving to /dev/null lists the files without reading their content.
  const listing = run(['-cvvP', '--no-recursion', '-f', '/dev/null', ...ALL_ATTRIBUTES, '--', ...paths])
  const lines = listing?.toString().trimEnd().split('\n') ?? []
  if (!supportsAttributes()) return new Set()
  // Without exactly one line per file, it is not clear which is which.
  return lines.length === paths.length ? new Set([...all].filter((at) => lines[at]?.[10] === '*')) : all
}

/** The extended attributes of an open file, by its system path; null if they cannot be read. */
export function readAttributes(path: string): Attributes | null {
  if (!supportsAttributes()) return null
  const read = nativeSource()('needed')?.readAttributes(Buffer.from(path), 'followed') ?? null
  if (read !== null) return read
  const archive = run(['-chP', '-f', '-', ...ALL_ATTRIBUTES, '--', path])
  return archive === null ? null : readFirstAttributes(archive)
}

/** The extended attributes of several names below a folder, in order; null if they cannot be read. */
export function readFolderAttributes(
  top: string,
  names: readonly Buffer[],
  natives: NativeSource = nativeSource(),
): readonly Attributes[] | null {
  if (!supportsAttributes()) return null
  return readNatively(top, names, natives('needed')) ?? readByArchiver(top, names)
}

/** Null as soon as one of them cannot be read: tar finds out what is the matter. */
function readNatively(
  top: string,
  names: readonly Buffer[],
  native: Native | null,
): readonly Attributes[] | null {
  if (native === null) return null
  const folder = Buffer.from(`${top}/`)
  const found: Attributes[] = []
  for (const name of names) {
    const attributes = native.readAttributes(Buffer.concat([folder, name]), 'itself')
    if (attributes === null) return null
    found.push(attributes)
  }
  return found
}

function readByArchiver(top: string, names: readonly Buffer[]): readonly Attributes[] | null {
  const list = Buffer.concat(names.flatMap((name) => [name, Buffer.of(0)]))
  const options = ['--no-recursion', '--null', '--verbatim-files-from', '-T', '-', '-f', '-']
  const folder = openSync(top, constants.O_RDONLY | constants.O_DIRECTORY)
  let archive: Buffer | null
  try {
    // Through a descriptor of its own: what this process has open, another may not be allowed to see.
    archive = run(['-cP', ...options, ...ALL_ATTRIBUTES], '/proc/self/fd/3', list, folder, 1)
  } finally {
    closeSync(folder)
  }
  const found = archive === null ? null : readAllAttributes(archive)
  return found?.length === names.length ? found : null
}

const EXACTLY = ['--same-owner', '--numeric-owner', '-p', '-m', '--xattrs', '--xattrs-include=*']

/** Creates a file with owner, mode and attributes in a folder; false if the system refused. */
export function createWithAttributes(folderPath: string, file: ArchivedFile): boolean {
  return run(['-x', '-f', '-', ...EXACTLY], folderPath, writeArchive(file)) !== null
}

/** Gives a folder owner, mode and attributes; false if the system refused. */
export function setFolderAttributes(folderPath: string, folder: ArchivedFolder): boolean {
  return run(['-x', '-f', '-', ...EXACTLY], folderPath, writeArchive(folder)) !== null
}

/** The output of tar; null if it failed with a worse status than `worst`, of which 1 says that something changed meanwhile. */
function run(
  args: readonly string[],
  cwd = '/',
  input?: Uint8Array,
  lent?: number,
  worst = 0,
): Buffer | null {
  if (!supportsAttributes() || typeof archiver !== 'string') return null
  const { status, stdout, error } = spawnSync(archiver, args, {
    cwd,
    env: { LC_ALL: 'C' },
    timeout: TIMEOUT_MS,
    maxBuffer: Infinity,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore', ...(lent === undefined ? [] : [lent])],
    ...(input === undefined ? {} : { input }),
  })
  // A different tar does not know these options and fails before it does anything. What passes, such as a want of memory, is no reason to go without.
  const isUnfit = status === 1 && stdout.length === 0
  if (isUnfit || NO_PROGRAM.has(errnoOf(error) ?? '')) archiver = null
  return status !== null && status <= worst && !isUnfit ? stdout : null
}
