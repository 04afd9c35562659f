import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the files of all tests that run side by side need at most, and as much again for the processes. */
const NEEDED_BYTES = 2 ** 31 + availableParallelism() * 2 ** 30

/** A temporary folder in memory that only the processes started through it can see. */
export interface MemoryFolder {
  readonly path: string
  /** The command line that runs another one where the folder is. */
  readonly enter: (argv: readonly string[]) => readonly string[]
  readonly remove: () => void
}

/**
 * Makes a temporary folder in memory, where nothing waits for a disk to sync files that nobody will miss, least of all
 * beside other work. It is mounted for the tests alone and goes with the last of them, however they end. Null where that is not
 * possible, or memory is short, or TONGS_TEST_DISK asks for the disk.
 */
export function openMemoryFolder(): MemoryFolder | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  if ((process.env['TONGS_TEST_DISK'] ?? '') !== '' || process.availableMemory() < NEEDED_BYTES) return null
  const path = mkdtempSync(join(tmpdir(), 'tongs-memory-'))
  const script = `mount -t tmpfs -o mode=1777,size=${NEEDED_BYTES / 2} tongs-tests "$0" && exec "$@"`
  const enter = (argv: readonly string[]): readonly string[] => [
    'unshare',
    '-m',
    'sh',
    '-c',
    script,
    path,
    ...argv,
  ]
  const remove = (): void => rmdirSync(path)
  const [program = '', ...args] = enter(['true'])
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return { path, enter, remove }
  remove()
  return null
}
