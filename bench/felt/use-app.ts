import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openingLine, terminalEnv } from '../../eval/runners/apps.ts'
import type { App } from '../../eval/runners/apps.ts'
import type { Place } from '../../eval/runners/runner.ts'
import { median } from '../measure.ts'
import { openScreen } from './open-screen.ts'
import type { Screen } from './open-screen.ts'
import { withPlace } from './play-session.ts'
import { cpuOfTree, megabytesOfTree, scheduleOf } from './process-tree.ts'
import { scriptModel } from './script.ts'

const SIZE = { columns: 100, rows: 34 } as const
/** What is typed: first in an idle app, then in a busy one, again and again. The first letters are not timed: they may be on the screen anyway. */
const IDLE_KEYS = 'zqjxvkwyhgbtd'
const BUSY_KEYS = 'xqzjkvwygbhtpfmrnsdlzqwkvjgxy'
const UNTIMED = 3
/** How many keys are timed at least. */
const IDLE_PRESSES = 10
const BUSY_PRESSES = 200
const BETWEEN_KEYS_MS = 200
/** Beside a command keys come at any moment between two draws. */
const BETWEEN_BUSY_KEYS_MS = 60
const SETTLE_MS = 3_000
/** Long enough for what seldom happens, such as the one time that V8 cleans up, 8 s after the last work. */
const IDLE_MS = 30_000
/** What the command prints, and for how long. */
const LINES_PER_SECOND = 10_000
const SECONDS = 90
const TURN_MS = 20
const STARTED = 'started'

const PRINT = `import { writeFileSync } from 'node:fs'
let n = 0
const parent = process.ppid
const turn = setInterval(() => {
  let text = ''
  for (let i = 0; i < ${(LINES_PER_SECOND * TURN_MS) / 1000}; i++) text += \`line \${n++} of what a command prints\\n\`
  process.stdout.write(text)
  if (n > ${LINES_PER_SECOND / 2}) writeFileSync('${STARTED}', '')
  if (n >= ${LINES_PER_SECOND * SECONDS} || process.ppid !== parent) clearInterval(turn)
}, ${TURN_MS})
`

/** How long a key took until it was shown, in milliseconds. */
export interface Press {
  readonly wallMs: number
  /** How long the app itself worked meanwhile. */
  readonly cpuMs: number
  /** How long it was ready to, and other programs had the processor. */
  readonly queuedMs: number
}

/** What an app was like while a person used it. */
export interface Used {
  readonly keyMs: number
  readonly busyKeyMs: number
  /** The slowest of all keys beside the command. */
  readonly slowestBusyKey: Press
  readonly idlePercent: number
  readonly idleMegabytes: number
}

async function open(app: App, place: Place): Promise<Screen> {
  app.runner.configure(place)
  // A command is not asked about, as it is not by the others.
  const words = app.runner.name === 'tongs' ? ' --preset auto --yes' : ''
  const line = `${openingLine(app, place)}${words}`
  return openScreen(line, { ...SIZE, cwd: place.root, env: terminalEnv(place) })
}

/** The milliseconds from the start of an app to its first whole frame. */
export async function openOnce(app: App, home: string): Promise<number> {
  const model = scriptModel([])
  const work = async (place: Place): Promise<number> => {
    const screen = await open(app, place)
    try {
      return (await screen.shownAt(app.isOpen)) - screen.startedAt
    } finally {
      await screen.close()
    }
  }
  return withPlace({}, model.source, work, home)
}

/** Uses an app as a person does: leaves it alone, types, and types while a command prints much. */
export async function useApp(app: App, home: string): Promise<Used> {
  const model = scriptModel([app.command('node print.mjs', 'Print many lines')])
  const work = async (place: Place): Promise<Used> => {
    const screen = await open(app, place)
    try {
      await screen.shownAt(app.isOpen)
      await wait(SETTLE_MS)
      const pid = await screen.pid()
      const before = cpuOfTree(pid)
      await wait(IDLE_MS)
      const idlePercent = ((cpuOfTree(pid) - before) / IDLE_MS) * 100
      const idleMegabytes = megabytesOfTree(pid)
      const idle = await timeKeys(screen, pid, {
        keys: IDLE_KEYS,
        presses: IDLE_PRESSES,
        pauseMs: BETWEEN_KEYS_MS,
      })
      await wait(BETWEEN_KEYS_MS)
      screen.press('Enter')
      await hasBegun(screen, place)
      const busy = await timeKeys(screen, pid, {
        keys: BUSY_KEYS,
        presses: BUSY_PRESSES,
        pauseMs: BETWEEN_BUSY_KEYS_MS,
      })
      return {
        keyMs: median(idle.map(({ wallMs }) => wallMs)),
        busyKeyMs: median(busy.map(({ wallMs }) => wallMs)),
        slowestBusyKey: busy.reduce((slowest, one) => (one.wallMs > slowest.wallMs ? one : slowest)),
        idlePercent,
        idleMegabytes,
      }
    } finally {
      await screen.close()
    }
  }
  return withPlace({ 'print.mjs': PRINT }, model.source, work, home)
}

/** Waits until the command prints: an app shows that, or a file does where commands work on the folder itself. */
async function hasBegun(screen: Screen, place: Place): Promise<void> {
  const seen = new AbortController()
  const stop = (): void => seen.abort()
  screen.shownAt(/line \d{4,} of/).then(stop, stop)
  while (!seen.signal.aborted && !existsSync(join(place.root, STARTED))) await wait(TURN_MS)
}

/** What is typed, how many keys of it are timed at least, and how long it is waited between two. */
interface Typing {
  readonly keys: string
  readonly presses: number
  readonly pauseMs: number
}

/** The time from each key to the frame that shows it. What is typed is taken back with Backspace, and typed again. */
async function timeKeys(screen: Screen, pid: number, typing: Typing): Promise<readonly Press[]> {
  const { keys, presses, pauseMs } = typing
  const times: Press[] = []
  for (;;) {
    screen.type(keys.slice(0, UNTIMED))
    await screen.shownAt(shows(keys.slice(0, UNTIMED)))
    for (let count = UNTIMED + 1; count <= keys.length; count++) {
      await wait(pauseMs * (0.5 + Math.random()))
      const before = scheduleOf(pid)
      const pressed = screen.type(keys.charAt(count - 1))
      const wallMs = (await screen.shownAt(shows(keys.slice(0, count)))) - pressed
      const after = scheduleOf(pid)
      times.push({ wallMs, cpuMs: after.cpuMs - before.cpuMs, queuedMs: after.queuedMs - before.queuedMs })
    }
    if (times.length >= presses) return times
    for (let left = keys.length; left > 0; left--) screen.press('BSpace')
    await wait(BETWEEN_KEYS_MS)
  }
}

function shows(typed: string): RegExp {
  return new RegExp(`${typed}(?!\\w)`)
}
