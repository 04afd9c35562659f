import { cpSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { agreed, call, errorsOf, talk } from '../../agent/talk.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { inAnother, leave } from '../../pipeline/approve/waiting-bench.ts'
import { batchOf, echo, outsider } from '../../pipeline/sample-tools.ts'
import { tamper } from '../approvals/tamper.ts'

let paid = 0
let whileItRuns = (): void => undefined
const pay = outsider('pay', () => {
  paid++
  whileItRuns()
  return { said: 'paid' }
})
const options = { ...agreed, durability: 'full', tools: [pay, echo] } as const

/** What is in the state folder once a process was killed while `pay` ran, whoever called it. */
async function killedIn(run: (b: Bench) => Promise<Runtime>): Promise<Bench> {
  const b = bench({ 'a.txt': 'alpha\n' })
  const saved = `${b.stateDir}.then`
  paid = 0
  whileItRuns = () => cpSync(b.stateDir, saved, { recursive: true })
  await (await run(b)).close()
  expect(paid).toBe(1)
  rmSync(b.stateDir, { recursive: true })
  renameSync(saved, b.stateDir)
  whileItRuns = () => undefined
  return b
}

/** A message with one call that has its result, one that ran when the process was killed, and one that had not begun. */
const killedInBatch = () =>
  killedIn(async (b) => {
    const runtime = await b.open(options)
    await runtime.run(batchOf(['echo'], ['pay'], ['echo']), { session: 's' })
    return runtime
  })
const killedInTalk = () =>
  killedIn(async (b) => {
    const t = await talk([{ calls: [call('1', 'pay', {})] }, { text: 'Done.' }], { ...options, in: b })
    await t.say('pay')
    return t.runtime
  })

/** What another program can do to the tables and the log, so that the call seems never to have begun. */
const HIDE_START: readonly (readonly [string, (database: DatabaseSync) => void])[] = [
  [
    'its start is filed under no call',
    (database) => {
      const { seq } = startOf(database)
      database.exec(`UPDATE log SET calls = NULL WHERE kind = 'started' AND seq = ${seq};
        DELETE FROM about WHERE seq = ${seq}`)
    },
  ],
  [
    'its start is not listed',
    (database) => database.exec(`DELETE FROM about WHERE seq = ${startOf(database).seq}`),
  ],
  [
    'its start is gone',
    (database) => {
      const { id, seq } = startOf(database)
      database.exec(`DELETE FROM log WHERE id = ${id};
        DELETE FROM place WHERE seq = ${seq}; DELETE FROM about WHERE seq = ${seq}`)
    },
  ],
  [
    'its start is the start of another call',
    (database) => {
      const { id, seq } = startOf(database)
      database.exec(`UPDATE log SET body = json_set(body, '$.execution', 'other'), calls = '["other"]' WHERE id = ${id};
        UPDATE about SET execution = 'other' WHERE seq = ${seq}`)
    },
  ],
]

function startOf(database: DatabaseSync): { readonly id: number; readonly seq: number } {
  const found = database
    .prepare(
      `SELECT l.id, l.seq FROM log l WHERE l.kind = 'started' AND l.body LIKE '%"effect":"external"%' ORDER BY l.id DESC LIMIT 1`,
    )
    .get()
  return { id: Number(found?.['id']), seq: Number(found?.['seq']) }
}

/** What hides that anything is open. */
const HIDE_BATCH: readonly (readonly [string, (database: DatabaseSync) => void])[] = [
  ['', (database) => database.exec('DELETE FROM open_call')],
  [
    ', nor the kind of its message',
    (database) =>
      database.exec("DELETE FROM open_call; UPDATE place SET kind = 'x' WHERE kind IN ('batch', 'started')"),
  ],
  [
    ', and its start is filed as its result',
    (database) => {
      const { id, seq } = startOf(database)
      database.exec(`DELETE FROM open_call; UPDATE log SET kind = 'settled' WHERE id = ${id};
        UPDATE place SET kind = 'settled' WHERE seq = ${seq}`)
    },
  ],
]

const inOther = <T>(b: Bench, act: (runtime: Runtime) => Promise<T>): Promise<T> => inAnother(b, options, act)
/** Has the tables hold everything, as they do once anybody looked at what was left. */
const lookAt = (b: Bench) => inOther(b, async (runtime) => expect(await runtime.recover()).toHaveLength(1))
const isVerifying = expect.stringContaining('tongs audit verify')

describe('a call that ran when its process was killed, in a log that another program wrote to', () => {
  it('control: is in doubt, and only that one', async () => {
    const b = await killedInBatch()
    await inOther(b, async (runtime) =>
      expect(await runtime.recover()).toMatchObject([
        {
          calls: [
            { name: 'echo', status: 'finished' },
            { name: 'pay', status: 'in_doubt', evidence: expect.not.stringContaining('verify') },
            { name: 'echo', status: 'never_started' },
          ],
        },
      ]),
    )
  })

  it.each(HIDE_START)('is never said not to have begun: %s', async (_what, hide) => {
    const b = await killedInBatch()
    await lookAt(b)
    tamper(b, hide)
    const calls = [
      { name: 'echo', status: 'finished' },
      { name: 'pay', status: 'in_doubt', evidence: isVerifying },
      { name: 'echo', status: 'in_doubt', evidence: isVerifying },
    ]
    await inOther(b, async (runtime) => {
      expect(await runtime.recover()).toMatchObject([{ calls }])
      expect(await runtime.recover({ choice: 'resume' })).toMatchObject([{ calls }])
      expect(await runtime.recover({ session: 's' })).toEqual([])
      const settled = [...runtime.log({ session: 's' })].flatMap(({ entry }) =>
        entry.kind === 'settled' ? [entry.error?.code ?? 'ok'] : [],
      )
      expect(settled).toEqual(['ok', 'in_doubt', 'in_doubt'])
    })
    expect(paid).toBe(1)
  })

  it.each(HIDE_BATCH)('is found, though it is not listed as open%s', async (_what, hide) => {
    const b = await killedInBatch()
    tamper(b, hide)
    const calls = [{}, { name: 'pay', status: 'in_doubt', evidence: isVerifying }, { status: 'in_doubt' }]
    await inOther(b, async (runtime) => {
      expect(await runtime.recover()).toMatchObject([{ calls }])
      expect(await runtime.recover({ choice: 'discard' })).toMatchObject([{ calls }])
      expect(await runtime.recover()).toEqual([])
    })
    await inOther(b, async (runtime) => expect(await runtime.recover({ session: 's' })).toEqual([]))
  })

  it.each([...HIDE_START, ...HIDE_BATCH])(
    'lets its conversation go on by a choice alone: %s',
    async (_what, hide) => {
      const b = await killedInTalk()
      await lookAt(b)
      tamper(b, hide)
      const t = await talk([{ text: 'never' }, { text: 'Then I look.' }], { ...options, in: b })
      expect(t.conversation.state()).toBe('interrupted')
      expect(errorsOf(await t.say(null))).toEqual(['interrupted'])
      expect(await t.conversation.resume()).toMatchObject({ calls: [{ status: 'in_doubt' }] })
      await t.say(null)
      expect(JSON.stringify(t.requests)).toContain('unknown whether pay took effect')
      expect(paid).toBe(1)
    },
  )

  it('is not taken for one that was only received, if its message is gone', async () => {
    const b = await killedInTalk()
    tamper(b, (database) => {
      for (const kind of ['batch', 'started'])
        database.exec(`DELETE FROM place WHERE kind = '${kind}'; DELETE FROM log WHERE kind = '${kind}'`)
      database.exec('DELETE FROM open_call')
    })
    const t = await talk([{ text: 'never' }], { ...options, in: b })
    expect(await t.conversation.recovery()).toMatchObject({ calls: [{ name: 'pay', status: 'in_doubt' }] })
  })
})

describe('a question that the tables hide', () => {
  const asked = async (): Promise<Bench> => {
    const b = bench({ 'a.txt': 'alpha\n' })
    expect(await leave(b, batchOf(['writer', { path: 'n', word: 'n' }]))).toHaveLength(1)
    return b
  }

  it('control: was not interrupted while they show it', async () => {
    const b = await asked()
    await inAnother(b, {}, async (runtime) => expect(await runtime.recover({ session: 's' })).toEqual([]))
  })

  it('does not keep its session waiting for ever', async () => {
    const b = await asked()
    tamper(b, (database) => database.exec('DELETE FROM open_call'))
    await inAnother(b, {}, async (runtime) => {
      expect(await runtime.pending()).toEqual([])
      expect(await runtime.recover()).toMatchObject([
        { calls: [{ status: 'in_doubt', evidence: isVerifying }] },
      ])
      await runtime.recover({ choice: 'resume' })
      expect(await runtime.recover()).toEqual([])
    })
  })
})
