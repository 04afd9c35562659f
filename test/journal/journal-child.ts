import { writeSync } from 'node:fs'
import { systemClock } from '../../src/host/system/clock.ts'
import { JournalError } from '../../src/journal/journal-error.ts'
import { openSqliteStore } from '../../src/journal/store/sqlite-store.ts'
import { content, payloadsOf, recordCall } from './sample-entries.ts'
import type { SessionLog } from '../../src/journal/log.ts'

/** A process of its own that uses a journal: `node journal-child.ts TASK STATE_DIR SESSION COUNT`. */
const [task = '', stateDir = '', name = '', count = '0'] = process.argv.slice(2)

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}

const key = { root: '/r', name }
/** When the store uses a segment; the test that starts the process chooses. */
const segments = process.env['JOURNAL_SEGMENTS'] === 'always' ? 'always' : 'auto'
const openStore = (durability: 'full' | 'normal' = 'full') =>
  openSqliteStore({ stateDir, durability, clock: systemClock, segments })

/** Numbers that no other session uses. */
const first = ([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 1000) * 1000

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  /** Appends until somebody ends it, and says what has been acknowledged. */
  append: async () => {
    const log = await openStore().open(key)
    for (let number = first + [...log.entries()].length; ; number++) {
      recordCall(log, number, [], 'durable')
      acknowledge(log)
    }
  },
  /** Several sessions append at the same time until somebody ends it, and each says what has been acknowledged. */
  crowd: async () => {
    const store = openStore()
    const appendFor = async (one: string): Promise<void> => {
      const log = await store.open({ root: '/r', name: one })
      for (let number = [...log.entries()].length + 1; ; number++) {
        const about = `${one} ${number}`
        const entry = { kind: 'note', about, execution: null, data: content(about).digest } as const
        await log.appendTogether({
          entries: [entry],
          payloads: payloadsOf(about),
          reliance: number % 3 === 0 ? 'recorded' : 'durable',
        })
        const [stored] = log.newestFirst()
        say(`${one} ${stored?.seq} ${stored?.hash}`)
      }
    }
    await Promise.all(Array.from({ length: Number(count) }, (_, index) => appendFor(`${name}${index}`)))
  },
  /** Writes to a session of its own and, between, to one that everybody wants. */
  hammer: async () => {
    const store = openStore(first % 2 === 0 ? 'full' : 'normal')
    const log = await store.open(key)
    for (let number = 0; number < Number(count); number++) {
      recordCall(log, first + number, [], 'durable')
      log.append({ entries: [], payloads: payloadsOf(`shared ${number}`), reliance: 'recorded' })
      if (number % 10 === 0) {
        const shared = await store.open({ root: '/r', name: 'shared' }, 60_000)
        recordCall(shared, first + number, [], 'durable')
        shared.close()
      }
    }
    store.close()
    say('done')
  },
  hold: async () => {
    const log = await openStore().open(key)
    say('holding')
    // A log that nobody refers to is collected, and its lock goes with it.
    setInterval(() => log.key, 1000)
  },
  /** Opens and appends once. */
  once: async () => {
    const store = openStore()
    recordCall(await store.open(key, 0), first, [], 'durable')
    store.close()
    say('done')
  },
  /** Appends until it cannot go on, then shows that it is still there. */
  exhaust: async () => {
    const store = openStore()
    const log = await store.open(key)
    let acknowledged = 0
    try {
      for (let number = first; ; number++) {
        const big = `${number}`.repeat(8_000)
        log.append({
          entries: [{ kind: 'note', about: 'big', execution: null, data: content(big).digest }],
          payloads: payloadsOf(big),
          reliance: 'durable',
        })
        acknowledged++
      }
    } catch (error) {
      const isSame = [...log.entries()].length === acknowledged
      say(
        JSON.stringify({
          code: error instanceof JournalError ? error.code : String(error),
          acknowledged,
          isSame,
        }),
      )
    }
  },
  /** Small appends beside big ones, all at once, until the big ones cannot go on. */
  overfill: async () => {
    const store = openStore()
    const logs = await Promise.all(
      Array.from({ length: Number(count) }, (_, index) =>
        store.open({ root: '/r', name: `${name}${index}` }),
      ),
    )
    const acknowledged = logs.map(() => 0)
    const codes = new Set<string>()
    for (let round = 0; codes.size === 0 && round < 1000; round++) {
      const ends = await Promise.allSettled(
        logs.map((log, index) => {
          const text = index === 0 ? `${round}`.repeat(40_000) : `${round} ${index}`
          const entry = { kind: 'note', about: 'x', execution: null, data: content(text).digest } as const
          return log.appendTogether({ entries: [entry], payloads: payloadsOf(text), reliance: 'durable' })
        }),
      )
      for (const [index, end] of ends.entries()) {
        if (end.status === 'fulfilled') acknowledged[index] = (acknowledged[index] ?? 0) + 1
        else codes.add(end.reason instanceof JournalError ? end.reason.code : String(end.reason))
      }
    }
    const stored = logs.map((log) => [...log.entries()].length)
    say(JSON.stringify({ codes: [...codes], acknowledged, stored }))
  },
}

function acknowledge(log: SessionLog): void {
  for (const { seq, hash } of log.newestFirst('settled')) {
    say(`${seq} ${hash}`)
    break
  }
}

try {
  await tasks[task]?.()
} catch (error) {
  say(
    error instanceof JournalError
      ? JSON.stringify({ code: error.code, message: error.message, hint: error.hint })
      : `crashed: ${String(error)}`,
  )
}
