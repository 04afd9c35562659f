import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import { batchOf, editor, outcomes } from '../../pipeline/sample-tools.ts'
import { AUTO, bytes } from '../../pipeline/execute/staging-tools.ts'

const changes = editor('changes', ({ word }, { edits }) => {
  edits.write(`${word}.txt`, bytes('new'))
  return { said: '' }
})

it.each(['batch', 'settled'])(
  'a session with an entry (%s) that cannot be read goes on after it, and leaves the others of its root alone',
  async (kind) => {
    const b = bench({})
    const options = { tools: [changes], config: AUTO, durability: 'full' } as const
    const first = await b.open(options)
    await first.run(batchOf(['changes', { word: 'one' }]), { session: 'a' })
    await first.close()
    const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
    database.exec(`INSERT INTO unlanded SELECT session, execution, seq FROM unsynced;
      UPDATE log SET body = '{' WHERE kind = '${kind}'; DELETE FROM meta WHERE key LIKE 'kept:%'`)
    database.close()
    const again = await b.open(options)
    expect(outcomes(await again.run(batchOf(['changes', { word: 'two' }]), { session: 'b' }))).toEqual(['ok'])
    expect((await again.undo({ session: 'b' })).ok).toBe(true)
    // A call whose own entry is lost cannot be taken back; one whose batch is lost can.
    expect((await again.undo({ session: 'a' })).ok).toBe(kind === 'batch')
    expect(outcomes(await again.run(batchOf(['changes', { word: 'three' }]), { session: 'a' }))).toEqual([
      'ok',
    ])
    expect((await again.undo({ session: 'a' })).ok).toBe(true)
    await again.close()
  },
)
