import { basename, join } from 'node:path'
import { writePrivateFile } from '../host/folders.ts'
import { digest } from '../host/hash.ts'
import { ioFailure } from '../host/root/io-failure.ts'
import type { Located } from './sandbox.ts'
import type { StagedFile } from './staged-file.ts'

/** The file that will hold the old content of `path`: its time, its call and its name can be read off it. */
export function backupPathFor(folder: string, execution: string, atMs: number, path: string): string {
  const time = new Date(atMs).toISOString().replaceAll(/[-:]/g, '').replace('.', '')
  const name = basename(path)
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 80)
  return join(folder, `${time}-${execution}-${digest(path).slice(0, 8)}-${name}`)
}

/** Writes the old contents of changed files where their results say they are. */
export function keepBackups(staged: readonly StagedFile[], pathOf: (at: Located) => string): void {
  for (const { at, base, keepsBackup } of staged) {
    if (base !== null && keepsBackup) keepBackup(pathOf(at), base.bytes)
  }
}

function keepBackup(path: string, bytes: Uint8Array): void {
  try {
    writePrivateFile(path, bytes)
  } catch (error) {
    throw ioFailure(error, 'keep the old content in', path)
  }
}
