import { startWatching } from './world/steps.ts'

/** Said instead of a step by who only wants to know how many there are. */
const COUNTING = 'steps'

/** Which step is the last: its number, or like `renameSync#2` the second of a kind. */
const [kind = '', nth] = (process.env['FAULTS_DIE_AT'] ?? '').split('#')
let steps = 0
if (kind === COUNTING) process.on('exit', () => process.stderr.write(`${COUNTING} ${steps}\n`))

startWatching(({ name }) => {
  if (nth !== undefined && name !== kind) return null
  if (++steps !== Number(nth ?? kind)) return null
  return { error: new Error('killed'), act: () => process.kill(process.pid, 'SIGKILL') }
})
