import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/** Which of the moves between open folders is left out, as by a landing that forgets a step. */
const left = Number(process.env['FAULTS_SKIP'] ?? 0)
let moves = 0
const rename = fs.renameSync

fs.renameSync = (from, to) => {
  const isMove = [from, to].every((path) => String(path).startsWith('/proc/'))
  if (isMove && ++moves === left) return
  rename(from, to)
}
syncBuiltinESMExports()
