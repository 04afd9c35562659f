import { statfsSync, statSync } from 'node:fs'
import type { Buffer } from 'node:buffer'
import { platform } from '../system/platform.ts'
import type { Way } from './follow-way.ts'

/** The file system of processes, as the system numbers it, and its topmost folder, whose links are words like any others. */
const PROC = 0x9fa0
const TOP_INODE = 1
const PROCESS = /^\d+$/

/** Whether a link in a folder belongs to a process, as `cwd` and those in `fd` do: only its own process knows where it leads. */
export function isLinkOfProcess(folder: string | Buffer): boolean {
  return isOfProcesses(folder) && statSync(folder).ino !== TOP_INODE
}

/** Whether a name that is missing in a folder may be there for another program, as a process or what it has open. */
export function mayBeProcess(folder: string | Buffer, name: string): boolean {
  return PROCESS.test(name) && isOfProcesses(folder)
}

/** Where processes show, and what each of them has open. */
const OF_PROCESSES = '/proc/'

/** Whether what a way leads to is something else for each program that follows it, or at another time. */
export function isAnyones({ end, real }: Pick<Way, 'end' | 'real'>): boolean {
  return end === 'depends' || (end === 'there' && real.startsWith(OF_PROCESSES))
}

function isOfProcesses(folder: string | Buffer): boolean {
  if (platform !== 'linux') return false
  try {
    return statfsSync(folder).type === PROC
  } catch {
    return false
  }
}
