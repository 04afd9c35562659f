import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeStateFolder } from './state-folder.ts'
import { recordCall } from './sample-entries.ts'

it('drafts that a killed process left in the state folder are gone after the next open; a fresh one stays', async () => {
  const folder = makeStateFolder()
  await folder.use((log) => recordCall(log, 1, [], 'durable'))
  const id = '01234567-89ab-cdef-0123-456789abcdef'
  const old = [`journal.db.new-${id}`, `journal.db.new-${id}-wal`, `key.new-${id}`].map((name) =>
    join(folder.path, name),
  )
  const fresh = join(folder.path, `trust.json.new-${id}`)
  const other = join(folder.path, 'notes.new-year')
  const minuteAgo = Date.now() / 1000 - 60
  for (const path of [...old, fresh, other]) writeFileSync(path, '')
  for (const path of [...old, other]) utimesSync(path, minuteAgo, minuteAgo)
  folder.open().close()
  expect(old.filter((path) => existsSync(path))).toEqual([])
  expect([fresh, other].map((path) => existsSync(path))).toEqual([true, true])
  expect(readdirSync(folder.path)).toContain('journal.db')
})
