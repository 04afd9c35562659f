import { readdirSync, readFileSync, statSync } from 'node:fs'
import { errnoOf } from './errno.ts'
import { platform } from '../system/platform.ts'

/** Whether one can see here what other processes have open. */
export const canSeeOpenFiles: boolean = platform === 'linux'

/** Whether a process of ours has a file open that is larger than this, or hides what it has open. */
export function readsLargerThan(pid: number, bytes: number): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => {
      const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
      return stats?.isFile() === true && stats.size > bytes
    })
  } catch (error) {
    // A process that is just ending has nothing open any more.
    return !['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '')
  }
}

/** Where the kernel keeps a thread that waits for the other end of a pipe. */
const PIPE_WAITS = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read'])

/** Whether a thread of a process of ours waits to read from a pipe; false where that cannot be seen. */
export function waitsForPipe(pid: number): boolean {
  const folder = `/proc/${pid}/task`
  try {
    return readdirSync(folder).some((thread) =>
      PIPE_WAITS.has(readFileSync(`${folder}/${thread}/wchan`, 'latin1').trim()),
    )
  } catch {
    return false
  }
}
