import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { PATIENCE_MS } from '../patience.ts'

const LOOK_AGAIN_MS = 10

/** Waits until no other process was started for a folder, or sees something mounted from it. */
export async function untilUnused(folder: string): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (let users = usersOf(folder); users.length > 0; users = usersOf(folder)) {
    if (Date.now() > giveUpAt) throw new Error(`${folder} is still used by ${users.join(', ')}`)
    await pause(LOOK_AGAIN_MS)
  }
}

function usersOf(folder: string): readonly string[] {
  const isAbout = (text: string): boolean => text.includes(`${folder}/`)
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && pid !== `${process.pid}`)
    .filter((pid) => ['cmdline', 'mountinfo'].some((file) => isAbout(readOf(pid, file))))
    .map((pid) => `${pid} (${readOf(pid, 'cmdline').replaceAll('\0', ' ').trim()})`)
}

function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
