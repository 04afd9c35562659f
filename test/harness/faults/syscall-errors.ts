import { readPrinted } from './world/acknowledged.ts'
import type { Ended } from './command.ts'
import type { Trouble } from './failing.ts'
import { commandOf, fixtureOf } from './kills.ts'
import type { Kill, Lane } from './kills.ts'
import { checkLaws } from './world/laws.ts'
import { BUILT_IN_CALLS, LIBRARY_CALLS } from './world/script.ts'
import { failAt } from './strace.ts'
import type { Syscall } from './strace.ts'
import { readTree } from './world/tree.ts'
import { findTorn, FOLDER_LEFT } from './troubles.ts'

/** A system call of a stage that fails, alone or with all of its kind that follow. */
export interface SyscallError {
  readonly stage: string
  readonly by: Kill['by']
  readonly call: Pick<Syscall, 'name' | 'nth'>
  readonly error: Trouble
  readonly isLasting: boolean
}

/** Which errors a system call can meet. */
export function errorsOf({ name, text }: Syscall): readonly Trouble[] {
  if (name === 'openat')
    return text.includes('O_CREAT') ? ['EMFILE', 'ENOSPC', 'EROFS', 'EIO'] : ['EMFILE', 'EIO']
  if (name === 'write' || name === 'pwrite64' || name === 'ftruncate' || name.includes('sync'))
    return ['ENOSPC', 'EIO']
  if (name === 'unlink' || name === 'rmdir' || name.startsWith('fch')) return ['EIO', 'EROFS']
  return ['ENOSPC', 'EIO', 'EROFS']
}

/** Lets a system call of a process fail, and checks that it says so clearly and that every law holds. */
export async function failSyscall(
  { world, golden }: Lane,
  { stage, by, call, error, isLasting }: SyscallError,
) {
  world.restore(fixtureOf(stage, by))
  const before = readTree(world.root)
  const plain = commandOf(world, stage, by)
  const command =
    by === 'library' ? plain : { ...plain, argv: [...plain.argv, '--set', 'tools.on_execution_error=stop'] }
  const ended = await failAt(world, command, call, error, isLasting)
  if (ended.hit === null) return { hit: null, broken: [] }
  const broken = [
    ...findUnclear(ended),
    ...findTorn(readTree(world.root), [before, ...golden[by]], isLasting),
  ]
  const acknowledged = readPrinted(ended.stdout)
  const again = by === 'library' ? LIBRARY_CALLS : BUILT_IN_CALLS
  broken.push(...(await checkLaws(world, { golden: golden[by], acknowledged, choice: 'resume', again })))
  // A folder that the system never lets go stays, as in the sweep.
  const isStuck = call.name === 'rmdir' && isLasting
  return { hit: ended.hit, broken: isStuck ? broken.filter((law) => !FOLDER_LEFT.test(law)) : broken }
}

/** The process must end by itself, and say in our words what is wrong. */
export function findUnclear({ code, signal, stdout, stderr }: Ended): readonly string[] {
  const isUnplanned = /^\s+at .*:\d+:\d+/m.test(stderr) || /unexpected|fault of its own/.test(stderr)
  if (signal !== null || isUnplanned) return [`not a clear error (${signal ?? code}): ${stderr}`]
  if (code === 0 || code === 4) return []
  if (code !== 1) return [`ended with ${code}: ${stderr}`]
  return stderr !== '' || stdout.includes('"ok":false') ? [] : ['failed without a word']
}
