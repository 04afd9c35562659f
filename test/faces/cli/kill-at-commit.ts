import { StatementSync } from 'node:sqlite'

/** Loaded before the command: kills its process right before or right after a commit, as nothing else could. */
const [when = '', number = ''] = (process.env['TONGS_KILL_AT'] ?? '').split(' ')
const { run } = StatementSync.prototype
let commits = 0

const die = (): void => void process.kill(process.pid, 'SIGKILL')

StatementSync.prototype.run = function kill(this: StatementSync, ...values: Parameters<typeof run>) {
  if (this.sourceSQL !== 'COMMIT') return run.apply(this, values)
  commits++
  if (when === 'before' && commits === Number(number)) die()
  const done = run.apply(this, values)
  if (when === 'after' && commits === Number(number)) die()
  return done
} as typeof run
