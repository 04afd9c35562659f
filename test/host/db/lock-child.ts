import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../../../src/host/db/session-lock.ts'

// Takes a lock over and over: FOLDER TIMES. A folder that two make at once tells if both hold it.
const [folder = '', times = '0'] = process.argv.slice(2)
let count = 0
while (count < Number(times)) {
  const attempt = await takeLock(join(folder, 'lock.db'), 60_000, Date.now)
  if (!attempt.isHeld) throw new Error('the lock was not free for a minute')
  mkdirSync(join(folder, 'inside'))
  rmdirSync(join(folder, 'inside'))
  attempt.lock.release()
  count++
}
process.stdout.write(`held ${count} times\n`)
