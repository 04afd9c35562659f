import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { call, read, stopOf, talk } from '../../agent/talk.ts'
import { killedWhileOpen } from './killed.ts'
import { rewriteBatch, rewriteHeld, tamper } from './tamper.ts'

const parseOnly = { config: { 'tools.mode': 'parse_only' }, durability: 'normal' } as const
const SCRIPT = [{ calls: [read('1'), call('2', 'read_file', { path: 'b.txt' })] }, { text: 'I see.' }]

/** Leaves two calls that wait for their results, in a session whose process was killed. */
async function leaveHeld(): Promise<Bench> {
  const b = bench({ 'a.txt': 'alpha\n' })
  await killedWhileOpen(b, async () => {
    const t = await talk(SCRIPT, { ...parseOnly, in: b })
    expect(stopOf(await t.say('go'))).toEqual(['held'])
    await t.runtime.close()
  })
  return b
}

const FORGERIES: readonly (readonly [string, (b: Bench) => void])[] = [
  [
    'arguments',
    (b) =>
      rewriteBatch(b, (batch, store) => ({
        ...batch,
        calls: batch.calls.map((one) => ({ ...one, args: store('{"path":"id_rsa"}') })),
      })),
  ],
  [
    'name',
    (b) =>
      rewriteBatch(b, (batch) => ({
        ...batch,
        calls: batch.calls.map((one) => ({ ...one, name: 'run_shell' })),
      })),
  ],
  [
    'folder',
    (b) =>
      rewriteBatch(b, (batch) => ({
        ...batch,
        calls: batch.calls.map((one) => ({ ...one, meta: { cwd: 'elsewhere' } })),
      })),
  ],
  ['seal', (b) => rewriteHeld(b, (held) => ({ ...held, seal: '0'.repeat(64) }))],
  ['absent seal', (b) => rewriteHeld(b, ({ seal: _seal, ...held }) => held)],
  [
    'lost arguments',
    (b) =>
      tamper(b, (database) => {
        database.exec("DELETE FROM log WHERE kind = 'payload' AND CAST(body AS TEXT) LIKE '{\"path\"%'")
      }),
  ],
]

describe('a call that waits for its result, and that another program rewrote', () => {
  it.each(FORGERIES)('is shown as damaged and takes no result: its %s', async (_what, forge) => {
    const b = await leaveHeld()
    forge(b)
    const t = await talk(SCRIPT.slice(1), { ...parseOnly, in: b })
    const [first] = await t.runtime.held()
    expect(first?.damaged).toMatch(/seal|gone/)
    expect(first?.answer).toContain('"/tool error ')
    expect(t.conversation.held().map(({ damaged }) => damaged === undefined)).toEqual([false, false])
    expect(t.conversation.answerTool('1', { result: 'the key' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('/tool error') as string,
    })
    expect(JSON.stringify(await t.say(null))).toContain('takes no result')
    expect(t.conversation.answerTool('1', { error: 'no' })).toMatchObject({ ok: true })
    expect(t.conversation.answerTool('2', { error: 'no' })).toMatchObject({ ok: true })
    expect(stopOf(await t.say(null))).toEqual(['end'])
  })

  it('is whole and takes its result if nothing was rewritten', async () => {
    const b = await leaveHeld()
    const t = await talk(SCRIPT.slice(1), { ...parseOnly, in: b })
    expect((await t.runtime.held()).map(({ damaged }) => damaged)).toEqual([undefined, undefined])
    expect(t.conversation.answerTool('1', { result: 'alpha' })).toMatchObject({ ok: true })
  })
})
