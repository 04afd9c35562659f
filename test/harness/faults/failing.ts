import { constants } from 'node:os'
import { countCalls } from './sweep/call-key.ts'
import { watchSteps } from './world/steps.ts'
import type { Reach, Step } from './world/watching.ts'

/** What a machine answers when it cannot. */
export const TROUBLES = ['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'EBUSY', 'EACCES'] as const

/** Those of the disk and of the process, which each step is met with; the sweep has all of them. */
export const DISK_TROUBLES = TROUBLES.slice(0, 4)

/** One of them. */
export type Trouble = (typeof TROUBLES)[number]

/** What SQLite makes of each. */
const SQLITE: Readonly<Record<Trouble, number>> = {
  ENOSPC: 13,
  EIO: 778,
  EROFS: 8,
  EMFILE: 14,
  EBUSY: 5,
  EACCES: 14,
}

/** Which troubles calls can meet at all, by their names; the first row that fits counts. */
const MET: readonly (readonly [RegExp, readonly Trouble[]])[] = [
  // Native calls only answer that they failed, and so does this one of Node.
  [
    /^(openPlain|openBelow|statAt|isMounted|hasAttributes|attributeNames|readAttributes|existsSync)$/,
    ['EIO'],
  ],
  [/^(fstatSync|readSync|closeSync|statfsSync|get|all|iterate)$/, ['EIO']],
  [/^(lstatSync|statSync|readlinkSync|realpathSync|accessSync)$/, ['EIO', 'EACCES']],
  [/^(openSync to read|readdirSync|opendirSync|readFileSync)$/, ['EIO', 'EMFILE', 'EACCES']],
  [/^open database$/, ['EIO', 'EMFILE']],
  [/^openSync$/, ['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'EACCES']],
  [/^exec$/, ['ENOSPC', 'EIO', 'EROFS', 'EMFILE']],
  [/fsync|fdatasync|write|append|COMMIT/i, ['ENOSPC', 'EIO']],
  [/unlink|rmdir|rmSync/, ['EIO', 'EROFS', 'EBUSY', 'EACCES']],
  [/chmod|chown|utimes|truncate/, ['EIO', 'EROFS', 'EACCES']],
  [/rename|link/, ['ENOSPC', 'EIO', 'EROFS', 'EBUSY', 'EACCES']],
  [/^mk/, ['ENOSPC', 'EIO', 'EROFS', 'EACCES']],
]

/** Which troubles a step can meet at all. */
export function troublesOf({ name, target = '' }: Pick<Step, 'name'> & Partial<Step>): readonly Trouble[] {
  const met = MET.find(([pattern]) => pattern.test(name))?.[1] ?? ['ENOSPC', 'EIO', 'EROFS']
  // Nobody else uses the names that new contents have until they are in place.
  return OWN_NAME.test(target) ? met.filter((trouble) => trouble !== 'EBUSY') : met
}

const OWN_NAME = /\.tongs-[^/]*$/

/** Runs `body` while one of its steps meets trouble, or that step and all after it. Gives the step that was hit. */
export async function withTrouble(
  { step: number, at, trouble, isLasting, reach = 'effects' }: Meeting,
  body: () => Promise<void>,
): Promise<Step | null> {
  let steps = 0
  let isReached = false
  let hit: Step | null = null
  const nameOf = countCalls()
  const meet = (step: Step) => {
    steps++
    const isNow = at === undefined ? steps === number : nameOf(step) === at
    const isHit = isNow || (isLasting && isReached)
    isReached ||= isNow
    if (!isHit || !troublesOf(step).includes(trouble)) return null
    hit ??= step
    return { error: errorFor(step, trouble) }
  }
  await watchSteps(meet, body, reach)
  return hit
}

/** Trouble at one step of a stage, once or from there on. */
export interface Meeting {
  readonly step: number
  /** The step by what it does, where other ones may come before it than the last time. */
  readonly at?: string
  /** The step is one of those with which the runtime is closed. */
  readonly isAtEnd?: boolean
  readonly trouble: Trouble
  readonly isLasting: boolean
  /** Which steps are counted. */
  readonly reach?: Reach
  /** Only what holds at once is checked. */
  readonly isBrief?: boolean
  /** Every call of the machine is met, also those at which a process may say that it has to be started again. */
  readonly isSwept?: boolean
}

const OF_DATABASES = new Set(['exec', 'run', 'get', 'all', 'iterate', 'open database'])

function errorFor({ name, target }: Step, trouble: Trouble): Error {
  if (OF_DATABASES.has(name)) {
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
