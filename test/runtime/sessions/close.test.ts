import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { stateFiles } from '../../../src/journal/store/state-files.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { makeScratch } from '../../harness/scratch.ts'

it('a clean-up that fails at the end does not fail what is done already', async () => {
  const scratch = makeScratch()
  const options = {
    root: scratch.folder('root'),
    stateDir: scratch.at('state'),
    config: { 'tools.approval.mode': 'auto', 'journal.max_age_days': 30 },
  } as const
  const runtime = await createRuntime(options)
  const call = { id: '1', name: 'write_file', args: { path: 'a.txt', content: 'a\n' } }
  expect(await runtime.run([call])).toMatchObject([{ ok: true }])
  // The age limit finds out what has been used when in this table; nothing else needs it.
  const database = new DatabaseSync(stateFiles(options.stateDir).database, { timeout: 1000 })
  database.exec('ALTER TABLE payload_place RENAME COLUMN used TO lost')
  await runtime.close()
  expect(database.prepare("SELECT value FROM meta WHERE key = 'kept:last_age_sweep'").get()).toBeUndefined()
  database.exec('ALTER TABLE payload_place RENAME COLUMN lost TO used')
  database.close()
  const later = await createRuntime(options)
  expect([...later.log()].at(-1)?.entry).toMatchObject({ kind: 'settled', name: 'write_file' })
  await later.close()
  expect((await later.verify()).ok).toBe(true)
})
