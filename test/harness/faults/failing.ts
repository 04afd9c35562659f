import { constants } from 'node:os'
import { watchSteps } from './world/steps.ts'
import type { Step } from './world/steps.ts'

/** What a machine answers when it cannot. */
export const TROUBLES = ['ENOSPC', 'EIO', 'EROFS', 'EMFILE'] as const

/** One of them. */
export type Trouble = (typeof TROUBLES)[number]

/** What SQLite makes of each. */
const SQLITE: Readonly<Record<Trouble, number>> = { ENOSPC: 13, EIO: 778, EROFS: 8, EMFILE: 14 }

/** Which troubles a step can meet at all. */
export function troublesOf({ name }: Pick<Step, 'name'>): readonly Trouble[] {
  if (name === 'openSync' || name === 'exec') return ['ENOSPC', 'EIO', 'EROFS', 'EMFILE']
  if (/fsync|fdatasync|write|COMMIT/i.test(name)) return ['ENOSPC', 'EIO']
  if (/unlink|rmdir|rmSync|chmod|chown/.test(name)) return ['EIO', 'EROFS']
  return ['ENOSPC', 'EIO', 'EROFS']
}

/** Runs `body` while one of its steps meets trouble, or that step and all after it. Gives the step that was hit. */
export async function withTrouble(
  number: number,
  trouble: Trouble,
  isLasting: boolean,
  body: () => Promise<void>,
): Promise<Step | null> {
  let steps = 0
  let hit: Step | null = null
  const meet = (step: Step) => {
    steps++
    const isHit = steps === number || (isLasting && steps > number)
    if (!isHit || !troublesOf(step).includes(trouble)) return null
    hit ??= step
    return { error: errorFor(step, trouble) }
  }
  await watchSteps(meet, body)
  return hit
}

function errorFor({ name, target }: Step, trouble: Trouble): Error {
  if (name === 'exec' || name === 'run') {
    return Object.assign(new Error('the database cannot'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: SQLITE[trouble],
    })
  }
  const errno = -constants.errno[trouble]
  return Object.assign(new Error(`${trouble}: trouble, ${name} '${target}'`), {
    code: trouble,
    errno,
    syscall: name,
  })
}
