import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainHash, sessionId } from '../../../src/journal/chain/chain.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { inAnother, leave, write, yes } from '../../pipeline/approve/waiting-bench.ts'
import { batchOf, outcomes } from '../../pipeline/sample-tools.ts'
import { rewriteAsked, sealEndAgain, tamper } from './tamper.ts'

/** Appends a yes to a question, with the hash that it has to have. */
function forgeYes(b: Bench, approval: string): void {
  tamper(b, (database) => {
    const last = database
      .prepare(
        `SELECT l.session, l.seq, l.at, lower(hex(l.hash)) AS hash, s.root, s.name,
         (SELECT body ->> 'batch' FROM log WHERE kind = 'asked') AS batch
         FROM log l JOIN session s ON s.id = l.session WHERE l.seq IS NOT NULL ORDER BY l.id DESC LIMIT 1`,
      )
      .get()
    const [seq, at] = [Number(last?.['seq']) + 1, Number(last?.['at'])]
    const body = JSON.stringify({
      kind: 'answered',
      batch: last?.['batch'],
      approval,
      isApproved: true,
      say: null,
      actor: null,
    })
    const session = sessionId({ root: String(last?.['root']), name: String(last?.['name']) })
    const hash = chainHash(String(last?.['hash']), { session, seq, at, body })
    database
      .prepare('INSERT INTO log (kind, session, seq, at, hash, body) VALUES (?, ?, ?, ?, ?, ?)')
      .run('answered', Number(last?.['session']), seq, at, Buffer.from(hash, 'hex'), body)
  })
}

describe('a batch that waits, in a log that another program wrote to', () => {
  it('does not run by a yes that nobody gave, whatever the other questions are answered', async () => {
    const b = bench()
    const [one, other] = await leave(b, batchOf(write('a'), write('b')))
    forgeYes(b, one?.id ?? '')
    const decided = await inAnother(b, {}, (runtime) => runtime.decide([other?.id ?? ''], yes))
    expect(decided.faults).toMatchObject([{ id: other?.id, why: expect.stringContaining('does not verify') }])
    expect([existsSync(join(b.root, 'a')), existsSync(join(b.root, 'b'))]).toEqual([false, false])
  })

  it('nor by one at the end of a session whose process was killed, where the anchor cannot tell', async () => {
    const b = bench()
    const [one, other] = await leave(b, batchOf(write('a'), write('b')))
    const anchors = join(b.stateDir, 'anchors')
    // What is left of a killed process is an anchor that was never closed.
    await inAnother(b, {}, async (runtime) => {
      await runtime.run(batchOf(['echo']), { session: 's' })
      cpSync(anchors, `${anchors}.open`, { recursive: true })
    })
    cpSync(`${anchors}.open`, anchors, { recursive: true })
    forgeYes(b, one?.id ?? '')
    sealEndAgain(b)
    const decided = await inAnother(b, {}, (runtime) => runtime.decide([other?.id ?? ''], yes))
    expect(decided.faults).toMatchObject([
      { id: other?.id, why: expect.stringMatching(/has no valid seal.*requested again/) },
    ])
    expect([existsSync(join(b.root, 'a')), existsSync(join(b.root, 'b'))]).toEqual([false, false])
  })

  it('does not run if its question was rewritten', async () => {
    const b = bench()
    const [question] = await leave(b, batchOf(write('a')))
    tamper(b, (database) =>
      database.exec(
        `UPDATE log SET body = json_set(body, '$.questions[0].summary', 'Read a') WHERE kind = 'asked'`,
      ),
    )
    const decided = await inAnother(b, {}, (runtime) => runtime.decide('all', yes))
    expect(decided.faults).toMatchObject([
      { id: question?.id, why: expect.stringMatching(/does not verify|seal is not valid/) },
    ])
    expect(existsSync(join(b.root, 'a'))).toBe(false)
  })

  it('does not run by a yes to another question, even if the anchor of an earlier time was put back', async () => {
    const b = bench()
    const anchors = join(b.stateDir, 'anchors')
    await inAnother(b, {}, async (runtime) => {
      await runtime.run(batchOf(['echo']), { session: 's' })
      cpSync(anchors, `${anchors}.open`, { recursive: true })
    })
    const [one, other] = await leave(b, batchOf(write('a'), write('b')))
    await inAnother(b, {}, (runtime) => runtime.decide([one?.id ?? ''], yes))
    rewriteAsked(b, (asked) => ({
      ...asked,
      questions: asked.questions.map((question) => ({ ...question, binding: '0'.repeat(64) })),
    }))
    cpSync(`${anchors}.open`, anchors, { recursive: true })
    const decided = await inAnother(b, {}, (runtime) => runtime.decide([other?.id ?? ''], yes))
    expect(decided.faults).toMatchObject([{ id: other?.id }])
  })

  it('shows the arguments if the change that was shown is not there any more', async () => {
    const b = bench()
    const [asked] = await leave(b, batchOf(write('a')))
    expect(asked?.diff).toContain('+a')
    tamper(b, (database) =>
      database.exec(
        `UPDATE log SET body = CAST('--- a/a\n+++ b/a\n+harmless\n' AS BLOB)
         WHERE kind = 'payload' AND instr(CAST(body AS TEXT), '+++ b/a') > 0`,
      ),
    )
    const [shown] = await inAnother(b, {}, (runtime) => runtime.pending())
    expect(shown).toMatchObject({ diff: null, call: { args: { path: 'a', word: 'a' } } })
  })

  it('control: runs if nobody touched it', async () => {
    const b = bench()
    await leave(b, batchOf(write('a'), write('b')))
    const [one, other] = await inAnother(b, {}, (runtime) => runtime.pending())
    // One after the other, in processes of their own, so that the first answer is read from the log.
    await inAnother(b, {}, (runtime) => runtime.decide([one?.id ?? ''], yes))
    const { results } = await inAnother(b, {}, (runtime) => runtime.decide([other?.id ?? ''], yes))
    expect(outcomes(results)).toEqual(['ok', 'ok'])
  })
})
