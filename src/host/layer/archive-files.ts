import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { ALL_ATTRIBUTES, findArchiver } from '../fs/attributes.ts'
import { findNative } from '../native/load-native.ts'
import { absoluteOf } from '../root/rel-path.ts'
import type { Root } from '../root/root.ts'
import { nameFor, OVERLAY_PREFIXES } from './folder-marks.ts'

/** How many files one process is given. */
const AT_ONCE = 4_000
const FROM_LIST = ['--no-recursion', '--null', '--verbatim-files-from', '-T', '-', '--numeric-owner']
const WITHOUT_MARKS = OVERLAY_PREFIXES.map((prefix) => `--xattrs-exclude=${prefix}*`)
/** Files with several names become several files. */
const AS_THEY_ARE = ['--hard-dereference', '--sparse', '--acls']
const EXACTLY = ['-p', '--same-owner', '--numeric-owner', '--xattrs', '--xattrs-include=*', '--acls']

/** Those of some files below a root that have extended attributes; all of them if that cannot be told. */
export async function findWithAttributes(root: Root, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const native = findNative()
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some: string[] = []
    for (const path of paths.slice(at, at + AT_ONCE)) {
      const isKnown = typeof native !== 'string' && path.isWellFormed()
      const has = isKnown ? native.hasAttributes(absoluteOf(root.path, path)) : null
      if (has === true) found.add(path)
      if (has === null) some.push(path)
    }
    if (some.length === 0) {
      await setImmediate()
      continue
    }
    // Archiving to /dev/null lists the files without reading their content.
    const lines = (await listFiles(root, some))?.toString('latin1').trimEnd().split('\n')
    const isClear = lines?.length === some.length
    for (const [index, path] of some.entries()) if (!isClear || lines[index]?.[10] === '*') found.add(path)
  }
  return found
}

async function listFiles(root: Root, paths: readonly string[]): Promise<Buffer | null> {
  const tar = startTar(root, ['-cvvP', ...FROM_LIST, '-f', '/dev/null', ...ALL_ATTRIBUTES])
  if (tar === null) return null
  const pieces: Buffer[] = []
  tar.stdout?.on('data', (piece: Buffer) => pieces.push(piece))
  tar.stdin?.end(listOf(paths))
  return (await endOf(tar)) ? Buffer.concat(pieces) : null
}

/**
 * Copies files to the same paths below another root, with owner, mode, times and attributes, but without the marks of an
 * overlay; false if not all of them were copied.
 */
export async function copyWithoutMarks(from: Root, paths: readonly string[], to: Root): Promise<boolean> {
  let isWhole = true
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const packing = [...FROM_LIST, ...AS_THEY_ARE, ...ALL_ATTRIBUTES, ...WITHOUT_MARKS]
    const reader = startTar(from, ['-cP', '-f', '-', ...packing])
    const writer = startTar(to, ['-x', '-f', '-', ...EXACTLY])
    if (reader === null || writer === null) return false
    if (writer.stdin !== null) reader.stdout?.pipe(writer.stdin)
    reader.stdin?.end(listOf(paths.slice(at, at + AT_ONCE)))
    const ends = await Promise.all([endOf(reader), endOf(writer)])
    isWhole &&= ends.every((isDone) => isDone)
  }
  return isWhole
}

/** Starts tar in a folder, through a descriptor of its own: what this process has open, another may not be allowed to see. */
function startTar(root: Root, args: readonly string[]): ChildProcess | null {
  const program = findArchiver()
  if (program === null) return null
  const fd = root.lendFolder('', (path) => openSync(path, constants.O_RDONLY | constants.O_DIRECTORY))
  try {
    const tar = spawn(program, args, {
      cwd: '/proc/self/fd/3',
      env: { LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'ignore', fd],
    })
    // A reader that ends early is noticed by how it ends.
    tar.stdin?.on('error', () => {})
    return tar
  } finally {
    closeSync(fd)
  }
}

async function endOf(tar: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    tar.once('error', () => resolve(false))
    tar.once('close', (code) => resolve(code === 0))
  })
}

function listOf(paths: readonly string[]): Buffer {
  const end = Buffer.of(0)
  return Buffer.concat(paths.flatMap((path) => [nameFor(path), end]))
}
