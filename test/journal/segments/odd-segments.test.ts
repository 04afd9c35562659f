import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import { repairStore } from '../../../src/journal/repair/repair-store.ts'
import { findKeptCopies, storeSize } from '../../../src/journal/store/state-files.ts'
import { ODD_FILES, putOdd } from '../../harness/odd-files.ts'
import { recordCall } from '../sample-entries.ts'
import { makeStateFolder, SESSION } from '../state-folder.ts'
import type { StateFolder } from '../state-folder.ts'

const ID = 'a'.repeat(32)
const SOCKET = 'a socket'
const KINDS = [...Object.keys(ODD_FILES).filter((kind) => kind !== 'a huge file'), SOCKET]

/** A state folder with one call, and something odd among its segments. */
async function withOdd(kind: string, name: string): Promise<StateFolder> {
  const folder = makeStateFolder()
  await folder.use((log) => void recordCall(log, 1, [], 'durable'))
  mkdirSync(folder.files.segments, { recursive: true, mode: 0o700 })
  if (kind === SOCKET) {
    const bind = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    // The path of a socket must be short.
    spawnSync(process.execPath, ['-e', bind, name], { cwd: folder.files.segments })
  } else putOdd(join(folder.files.segments, name), kind)
  return folder
}

const CASES = KINDS.flatMap((kind) => [`${ID}.log`, `${ID}.log.lock`].map((name) => [kind, name] as const))

describe('what is no segment in the folder of segments', () => {
  it.each(CASES)('%s as %s stops nothing, and audit verify names it until a repair', async (kind, name) => {
    const folder = await withOdd(kind, name)
    expect(readdirSync(folder.files.segments)).toContain(name)
    const store = folder.open('full', 'always')
    const log = await store.open(SESSION, 0)
    for (const number of [2, 3, 4]) recordCall(log, number, [], 'durable')
    store.scrub()
    expect([...store.read(SESSION)]).toHaveLength(8)
    store.close()
    expect(storeSize(folder.path)).toBeGreaterThan(0)
    const report = folder.verify()
    expect(report).toMatchObject({ ok: false })
    expect(JSON.stringify(report)).toContain(`${name} is not a regular file`)
    await repairStore(folder.path, systemClock)
    expect(findKeptCopies(folder.path).length).toBeGreaterThan(0)
    expect(folder.verify()).toMatchObject({ ok: true, events: 8 })
    await folder.use((again) => void recordCall(again, 5, [], 'durable'))
    expect(folder.verify()).toMatchObject({ ok: true, events: 10 })
  })

  it('is passed over if no segment has such a name', async () => {
    const folder = await withOdd('a named pipe', 'pipe')
    expect(folder.verify()).toMatchObject({ ok: true, events: 2 })
  })
})
