import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { watchSteps } from '../../harness/faults/world/steps.ts'
import { recordCall } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import { countEntries, openWithSegment, segmentIn } from './crash-image.ts'

const LARGEST_SEGMENT_BYTES = 4 * 1024 ** 2
/** More than wait in front of the database if no other process writes to it. */
const MANY_CALLS = 1_200

describe('while other processes write', () => {
  it('a process goes on in front of the database, and has it hold everything once it is free', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path, 'normal')
    const log = await store.open(SESSION)
    let calls = 0
    // A segment is small at first, and one that is full cannot wait.
    while (calls === 0 || statSync(segmentIn(folder)).size < LARGEST_SEGMENT_BYTES) recordCall(log, ++calls)
    const other = new DatabaseSync(folder.files.database)
    other.exec('BEGIN IMMEDIATE')
    const before = countEntries(folder)
    for (let more = 0; more < MANY_CALLS; more++) recordCall(log, ++calls)
    expect(countEntries(folder)).toBe(before)
    other.exec('ROLLBACK')
    other.close()
    for (let more = 0; more < MANY_CALLS; more++) recordCall(log, ++calls)
    expect(countEntries(folder)).toBeGreaterThan(before + 2 * MANY_CALLS)
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 2 * calls })
  })

  it('entries that are taken up together are compared with those of others once for each session', async () => {
    const folder = makeStateFolder()
    const store = openWithSegment(folder.path, 'normal')
    const log = await store.open(SESSION)
    for (let call = 1; call <= 20; call++) recordCall(log, call)
    await folder.use((other) => recordCall(other, 100), { session: { ...SESSION, name: 'other' } })
    for (let call = 21; call <= 60; call++) recordCall(log, call)
    let looks = 0
    await watchSteps(
      ({ target }) => {
        if (target.startsWith('SELECT 1 FROM place WHERE session')) looks++
        return null
      },
      async () => {
        store.openBatches()
      },
      'all',
    )
    expect(looks).toBe(1)
    store.close()
    expect(folder.verify()).toMatchObject({ ok: true, events: 122 })
  })
})
