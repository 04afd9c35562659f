import * as fs from 'node:fs'
import { join } from 'node:path'
import { run } from './command.ts'
import type { Command, Ended } from './command.ts'
import type { World } from './world/world.ts'

/** A system call of a process's main thread. */
export interface Syscall {
  readonly name: string
  /** From 1, among the calls of that name. */
  readonly nth: number
  readonly text: string
}

const CHANGING = [
  'openat',
  'write',
  'pwrite64',
  'ftruncate',
  'fsync',
  'fdatasync',
  'rename',
  'renameat2',
  'unlink',
  'mkdir',
  'rmdir',
  'link',
  'fchmod',
  'fchown',
]

/** The system calls with which a command changes anything in its world, in order; with `reads` also those that open to read. */
export async function traceSyscalls(
  world: World,
  command: Command,
  further: readonly string[] = [],
  reads: 'reads' | 'changes' = 'changes',
): Promise<readonly Syscall[]> {
  const log = join(world.top, 'strace.log')
  const names = [...CHANGING, ...further].join()
  const words = ['-qq', '-f', '--seccomp-bpf', '-y', '-s', '40', '-o', log, '-e', `trace=${names}`]
  await straced(command, words)
  const calls = readTrace(fs.readFileSync(log, 'latin1'), world)
  return reads === 'reads' ? calls : calls.filter((call) => !isReading(call))
}

/** Kills a process, for real, on entering one of its system calls. */
export async function killAt(command: Command, { name, nth }: Pick<Syscall, 'name' | 'nth'>): Promise<Ended> {
  // Without following threads and without a filter in the kernel, where strace would lose the signal.
  const words = ['-qq', '-o', '/dev/null', '-e', `trace=${name}`]
  return straced(command, [...words, '-e', `inject=${name}:signal=SIGKILL:when=${nth}`])
}

/** A run with a system call that failed, and which call that was; null where it never came. */
export interface FailedRun extends Ended {
  readonly hit: string | null
}

/** Lets one system call of a process fail, or all of its kind from there on; `alone` spares its threads and children. */
export async function failAt(
  world: World,
  command: Command,
  { name, nth }: Pick<Syscall, 'name' | 'nth'>,
  error: string,
  isLasting: boolean,
  reach: 'all' | 'alone' = 'all',
): Promise<FailedRun> {
  const log = join(world.top, 'strace.log')
  const followed = reach === 'all' ? ['-f', '--seccomp-bpf'] : []
  const words = ['-qq', ...followed, '-y', '-s', '40', '-o', log, '-e', `trace=${name}`]
  const when = `${nth}${isLasting ? '+' : ''}`
  const ended = await straced(command, [...words, '-e', `inject=${name}:error=${error}:when=${when}`])
  const hit = fs
    .readFileSync(log, 'latin1')
    .split('\n')
    .find((line) => line.endsWith('(INJECTED)'))
  return { ...ended, hit: hit !== undefined && isOurs(hit, world) ? hit : null }
}

async function straced(command: Command, words: readonly string[]): Promise<Ended> {
  const ended = await run({ ...command, argv: ['strace', ...words, '--', ...command.argv] }).catch(
    (error: unknown) => {
      throw new Error('strace is needed to reach into system calls; install it', { cause: error })
    },
  )
  if (ended.stderr.startsWith('strace: ')) throw new Error(`strace does not work here: ${ended.stderr}`)
  return ended
}

function readTrace(text: string, world: World): readonly Syscall[] {
  const counts = new Map<string, number>()
  const found: Syscall[] = []
  const lines = text.split('\n')
  const main = lines[0]?.split(' ')[0]
  for (const line of lines) {
    const [, thread, name = '', rest = ''] = /^(\d+) +([a-z0-9]+)\((.*)$/.exec(line) ?? []
    if (thread !== main) continue
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    const isFruitless = rest.includes(' = -1 ')
    if (isOurs(rest, world) && !isFruitless) found.push({ name, nth, text: rest.slice(0, 200) })
  }
  return found
}

function isReading({ name, text }: Syscall): boolean {
  return name === 'openat' && !text.includes('O_CREAT')
}

/** Whether a call is about the world: by a path in it, or through an open folder of it. */
function isOurs(text: string, { top }: World): boolean {
  return text.includes(`${top}/`) || /"\/proc\/(self|\d+)\/fd\//.test(text)
}
