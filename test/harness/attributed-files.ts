import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { readFirstAttributes, writeArchive } from '../../src/host/fs/pax.ts'

/** Makes a file with attributes, by an archive that is written by hand. */
export function putAttributed(
  path: string,
  content: string,
  attributes: Readonly<Record<string, string | Uint8Array>>,
  mode = 0o640,
): void {
  const file = {
    name: path.slice(path.lastIndexOf('/') + 1),
    content: Buffer.from(content),
    mode,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, Buffer.from(value)])),
  }
  rmSync(path, { force: true })
  const { status } = spawnSync('tar', ['-xp', '--xattrs', '--xattrs-include=*', '-f', '-'], {
    cwd: dirname(path),
    input: writeArchive(file),
  })
  expect(status).toBe(0)
}

/** What the system's own archiver says, independent of how we ask it. */
export function attributesOf(path: string): Readonly<Record<string, string>> {
  const { stdout } = spawnSync('tar', ['-cP', '--format=posix', '--xattrs', '--xattrs-include=*', path])
  return Object.fromEntries(
    [...readFirstAttributes(stdout)].map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  )
}
