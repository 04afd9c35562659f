import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { PATIENCE_MS } from '../patience.ts'

const LOOK_AGAIN_MS = 10

/** Waits until no other process was started for a folder, or sees something mounted from it. */
export async function untilUnused(folder: string): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (let users = usersOf(folder); users.length > 0; users = usersOf(folder)) {
    if (Date.now() > giveUpAt) {
      const shown = users.map((pid) => `${pid} (${readOf(`${pid}`, 'cmdline').replaceAll('\0', ' ').trim()})`)
      throw new Error(`${folder} is still used by ${shown.join(', ')}`)
    }
    await pause(LOOK_AGAIN_MS)
  }
}

/** One that starts another and ends is missed if it is listed before that and looked at after it. */
const LOOKS = 3

/** The other processes that were started for a folder, or see something mounted from it. */
export function usersOf(folder: string): readonly number[] {
  const isAbout = (text: string): boolean => text.includes(`${folder}/`)
  for (let look = 1; ; look++) {
    const users = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && pid !== `${process.pid}`)
      .filter((pid) => ['cmdline', 'mountinfo'].some((file) => isAbout(readOf(pid, file))))
      .map(Number)
    if (users.length > 0 || look === LOOKS) return users
  }
}

function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
