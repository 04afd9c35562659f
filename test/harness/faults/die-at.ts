import { startWatching } from './steps.ts'

const dieAt = Number(process.env['FAULTS_DIE_AT'])
let steps = 0

startWatching(() => {
  if (++steps !== dieAt) return null
  return { error: new Error('killed'), act: () => process.kill(process.pid, 'SIGKILL') }
})
