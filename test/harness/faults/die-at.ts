import { startWatching } from './steps.ts'

/** Which step is the last: its number, or like `renameSync#2` the second of a kind. */
const [kind = '', nth] = (process.env['FAULTS_DIE_AT'] ?? '').split('#')
let steps = 0

startWatching(({ name }) => {
  if (nth !== undefined && name !== kind) return null
  if (++steps !== Number(nth ?? kind)) return null
  return { error: new Error('killed'), act: () => process.kill(process.pid, 'SIGKILL') }
})
