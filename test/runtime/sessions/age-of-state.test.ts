import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../../../src/core/clock.ts'
import { openSqliteStore } from '../../../src/journal/store/sqlite-store.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { batchOf, changeOf, content, execution, payloadsOf, settledOf } from '../../journal/sample-entries.ts'

const START = 1_800_000_000_000
const HOUR_MS = 3_600_000

/** What an action took: the rows that queries returned, and the bytes that this thread read from files. */
interface Work {
  readonly rows: number
  readonly bytes: number
}

const THREAD_IO = '/proc/thread-self/io'

function bytesRead(): number {
  if (!existsSync(THREAD_IO)) return 0
  return Number(/rchar: (\d+)/.exec(readFileSync(THREAD_IO, 'utf8'))?.[1])
}

async function measure(action: () => Promise<unknown>): Promise<Work> {
  let rows = 0
  const { all, get } = StatementSync.prototype
  const spies = [
    vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...bound) {
      const found = Reflect.apply(all, this, bound) as ReturnType<typeof all>
      rows += found.length
      return found
    }),
    vi.spyOn(StatementSync.prototype, 'get').mockImplementation(function (this: StatementSync, ...bound) {
      rows++
      return Reflect.apply(get, this, bound) as ReturnType<typeof get>
    }),
  ]
  try {
    const before = bytesRead()
    await action()
    return { rows, bytes: bytesRead() - before }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

const tops: string[] = []
afterAll(() => {
  for (const top of tops) rmSync(top, { recursive: true, force: true })
})

interface Aged {
  readonly open: (now: number) => Promise<Runtime>
  readonly root: string
}

/** A state folder with an edit at its beginning, a batch that waits, and many calls that only read after them. */
async function makeAged(calls: number): Promise<Aged> {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-age-'))
  tops.push(top)
  const root = join(top, 'root')
  const stateDir = join(top, 'state')
  mkdirSync(root)
  writeFileSync(join(root, 'a'), 'new')
  let now = START
  const clock = { now: () => now, elapsed: () => now }
  const store = openSqliteStore({ stateDir, durability: 'normal', clock })
  const session = { root, name: 's' }
  const log = await store.open(session)
  const edit = { ...changeOf('a', 'old', 'new'), root }
  log.append({
    entries: [batchOf('b0', [0]), settledOf('b0', 0, [edit])],
    payloads: payloadsOf('args 0', 'result 0', 'old', 'new'),
    reliance: 'recorded',
  })
  log.landed(execution(0))
  const waiting = batchOf('w', [1])
  log.append({
    entries: [
      { ...waiting, calls: waiting.calls.map((call) => ({ ...call, args: content('{}').digest })) },
      {
        kind: 'asked',
        batch: 'w',
        expiresAt: START + 7 * DAY_MS,
        questions: [
          {
            approval: 'q1',
            execution: execution(1),
            summary: 'Do it?',
            risk: 'Low',
            diff: null,
            binding: '',
          },
        ],
      },
    ],
    payloads: payloadsOf('{}'),
    reliance: 'recorded',
  })
  for (let first = 2; first < calls; first += 100) {
    now += 1000
    const numbers = Array.from({ length: 100 }, (_, index) => first + index)
    const batch = `b${first}`
    log.append({
      entries: [batchOf(batch, numbers), ...numbers.map((number) => settledOf(batch, number))],
      payloads: payloadsOf(...numbers.flatMap((number) => [`args ${number}`, `result ${number}`])),
      reliance: 'recorded',
    })
  }
  for (let number = 0; number < calls / 100; number++) {
    const other = await store.open({ root, name: `other-${number}` })
    other.append({
      entries: [{ kind: 'note', about: 'x', execution: null, data: null }],
      reliance: 'recorded',
    })
    other.close()
  }
  store.close()
  return {
    root,
    open: (later) => {
      now = later
      return createRuntime({
        root,
        stateDir,
        clock,
        durability: 'normal',
        config: { 'tools.approval.mode': 'auto', 'journal.max_age_days': 30 },
      })
    },
  }
}

const QUICK: readonly (readonly [string, (runtime: Runtime) => Promise<unknown>])[] = [
  ['recover', async (runtime) => expect(await runtime.recover()).toEqual([])],
  ['recover of the session', async (runtime) => expect(await runtime.recover({ session: 's' })).toEqual([])],
  ['pending', async (runtime) => expect(await runtime.pending()).toHaveLength(1)],
  [
    'undo --dry-run',
    async (runtime) => expect(await runtime.undo({ session: 's', dryRun: true })).toMatchObject({ ok: true }),
  ],
  [
    'undo of a call',
    async (runtime) =>
      expect(await runtime.undo({ session: 's', dryRun: true, calls: [execution(0)] })).toMatchObject({
        ok: true,
      }),
  ],
  ['log --last', async (runtime) => expect([...runtime.log({ last: 5 })]).toHaveLength(5)],
  [
    'log --last of the session',
    async (runtime) =>
      expect([...runtime.log({ session: 's', last: 5 })].map(({ seq }) => seq)).toHaveLength(5),
  ],
  [
    'the first edit',
    async (runtime) => {
      const [result] = await runtime.run(
        [{ id: '1', name: 'write_file', args: { path: 'n.txt', content: 'n' } }],
        { session: 's' },
      )
      expect(result?.ok).toBe(true)
    },
  ],
]

describe('the age of a state folder', () => {
  let young: Aged
  let old: Aged
  const YOUNG_CALLS = 600
  const LAST = START + (10 * YOUNG_CALLS * 1000) / 100

  beforeAll(async () => {
    young = await makeAged(YOUNG_CALLS)
    old = await makeAged(10 * YOUNG_CALLS)
    // The first close takes up what was written until then.
    for (const { open } of [young, old]) {
      const runtime = await open(LAST)
      await runtime.recover({ session: 's' })
      await runtime.close()
    }
  }, 120_000)

  const workOf = (aged: Aged, at: number, act: (runtime: Runtime) => Promise<unknown>): Promise<Work> =>
    measure(async () => {
      const runtime = await aged.open(at)
      await act(runtime)
      await runtime.close()
    })

  it.each(QUICK)('does not matter for opening it, %s and closing it', async (_, act) => {
    await workOf(young, LAST, act)
    const few = await workOf(young, LAST, act)
    const many = await workOf(old, LAST, act)
    expect(many.rows).toBeLessThan(few.rows + 40)
    expect(many.bytes).toBeLessThan(few.bytes + 400_000)
  })

  it('does not matter for the close that enforces the limits once an hour', async () => {
    const act = (runtime: Runtime) => runtime.recover({ session: 's' })
    const few = await workOf(young, LAST + 2 * HOUR_MS, act)
    const many = await workOf(old, LAST + 2 * HOUR_MS, act)
    expect(many.rows).toBeLessThan(few.rows + 40)
    expect(many.bytes).toBeLessThan(few.bytes + 400_000)
  })

  it('what was measured is the work: reading the whole log takes many times as much', async () => {
    const act = async (runtime: Runtime) => expect([...runtime.log()].length).toBeGreaterThan(600)
    const few = await workOf(young, LAST, act)
    const many = await workOf(old, LAST, act)
    expect(many.rows).toBeGreaterThan(few.rows * 5)
    // Calls that are recorded in bulk are compressed; still, this is twice as much as would be noticed above.
    if (few.bytes > 0) expect(many.bytes).toBeGreaterThan(few.bytes + 800_000)
  })

  it('is what the limits are about: what is too old is erased, once, and what waits is kept', async () => {
    const later = LAST + 40 * DAY_MS
    const erasures = (runtime: Runtime) =>
      [...runtime.log({ session: 's' })].flatMap(({ entry }) => (entry.kind === 'forgotten' ? [entry] : []))
    // A clock that jumped ahead is believed once a later command still finds it there.
    for (const at of [later, later + 1, LAST, later, later + 2 * HOUR_MS]) {
      const runtime = await young.open(at)
      expect(erasures(runtime)).toEqual([])
      await runtime.recover({ session: 's' })
      await runtime.close()
    }
    const again = await young.open(later + 4 * HOUR_MS)
    expect(erasures(again)).toMatchObject([{ why: 'older than 30 days' }])
    await again.recover({ session: 's' })
    await again.close()
    const database = new DatabaseSync(join(young.root, '../state/journal.db'), { readOnly: true })
    const left = database.prepare('SELECT count(*) AS left FROM payload_place').get()
    const isKept = database
      .prepare('SELECT 1 FROM payload_place WHERE digest = unhex(?)')
      .get(content('{}').digest)
    database.close()
    expect(Number(left?.['left'])).toBeLessThan(20)
    expect(isKept).toBeDefined()
  })
})
