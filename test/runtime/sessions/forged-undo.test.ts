import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../src/host/system/hash.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const options = {
  durability: 'full',
  approve: (requests: readonly unknown[]) => requests.map(() => 'once' as const),
} as const
const PLANTED = 'planted\n'

/** Runs something in a runtime of its own, as another process would. */
async function inAnother<T>(
  b: Bench,
  act: (runtime: Awaited<ReturnType<Bench['open']>>) => Promise<T>,
): Promise<T> {
  const runtime = await b.open(options)
  try {
    return await act(runtime)
  } finally {
    await runtime.close()
  }
}

async function edited(): Promise<{ readonly b: Bench; readonly get: () => string }> {
  const b = bench({ 'a.txt': 'before\n' })
  await inAnother(b, (runtime) =>
    runtime.run(
      [
        { id: '1', name: 'read_file', args: { path: 'a.txt' } },
        { id: '2', name: 'write_file', args: { path: 'a.txt', content: 'after\n' } },
      ],
      { session: 's' },
    ),
  )
  return { b, get: () => readFileSync(join(b.root, 'a.txt'), 'utf8') }
}

/** Changes the journal as a program without its key could. */
function tamper(b: Bench, sql: string): void {
  const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
  database.exec(sql)
  database.close()
}

/** Has an entry say that a file was something else before; the content is there, with the right digest. */
function plantBefore(b: Bench, kind: string): void {
  const planted = digest(PLANTED)
  tamper(
    b,
    `INSERT INTO log (kind, hash, body) VALUES ('payload', x'${planted}', CAST('${PLANTED}' AS BLOB));
     UPDATE log SET body = json_set(body, '$.changes[0].before.digest', '${planted}')
     WHERE kind = '${kind}' AND lands = 1`,
  )
}

describe('undo, in a log that another program wrote to', () => {
  it('puts nothing in place that the call did not replace', async () => {
    const { b, get } = await edited()
    plantBefore(b, 'settled')
    const report = await inAnother(b, (runtime) => runtime.undo({ session: 's' }))
    expect(report).toMatchObject({ ok: false, message: expect.stringContaining('not recorded like that') })
    expect(get()).toBe('after\n')
  })

  it('nor does redo', async () => {
    const { b, get } = await edited()
    await inAnother(b, (runtime) => runtime.undo({ session: 's' }))
    plantBefore(b, 'undo')
    const report = await inAnother(b, (runtime) => runtime.redo({ session: 's' }))
    expect(report).toMatchObject({ ok: false, message: 'There is no undo to redo.' })
    expect(get()).toBe('before\n')
  })

  it('takes a content that was changed for lost', async () => {
    const { b, get } = await edited()
    tamper(b, `UPDATE log SET body = CAST('${PLANTED}' AS BLOB) WHERE hash = x'${digest('before\n')}'`)
    const report = await inAnother(b, (runtime) => runtime.undo({ session: 's' }))
    expect(report).toMatchObject({ ok: false, message: expect.stringContaining('a.txt') })
    expect(get()).toBe('after\n')
  })

  it('control: works if nobody touched it', async () => {
    const { b, get } = await edited()
    await inAnother(b, (runtime) => runtime.undo({ session: 's' }))
    expect(get()).toBe('before\n')
    await inAnother(b, (runtime) => runtime.redo({ session: 's' }))
    expect(get()).toBe('after\n')
  })
})
