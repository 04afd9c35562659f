import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noteKnownPlaces } from '../../../src/host/layer/layer-places.ts'
import { openLayer } from '../../../src/host/layer/open-layer.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { SessionLog } from '../../../src/journal/log.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import { forgetLayers, limitLayers } from '../../../src/runtime/sessions/forget-layers.ts'
import { bench } from '../../bench-folder.ts'
import { LOOK } from '../../harness/layers/work.ts'
import { changeOf, execution, recordCall } from '../../journal/sample-entries.ts'

const SESSION = { root: '/r', name: 's' }
const FORGOTTEN = { selection: { is: 'session', session: SESSION }, executions: [], waitMs: 0 } as const

/** The layers of two calls that have landed, and two processes. */
async function landedLayers() {
  const { stateDir } = bench()
  const open = () => {
    const store = openStore({ stateDir, durability: 'full', clock: systemClock })
    onTestFinished(() => store.close())
    return store
  }
  const place = join(stateDir, 'layers')
  const folderOf = (number: number): string => join(place, execution(number))
  const [ours, theirs] = [open(), open()]
  const log = await theirs.open(SESSION, 0)
  for (const number of [1, 2]) {
    mkdirSync(join(folderOf(number), '0/old'), { recursive: true })
    recordCall(log, number, [changeOf(`f${number}`, 'x', 'y')], 'durable')
    log.landed(execution(number))
  }
  const isThere = (): readonly boolean[] => [1, 2].map((number) => existsSync(folderOf(number)))
  return { ours, theirs, log, place, isThere }
}

/** The beginning of an undo: it is on record, and its files have yet to be moved. */
function beginUndo(log: SessionLog, number: number): void {
  const changes = [changeOf(`f${number}`, 'y', 'x')]
  log.append({
    entries: [{ kind: 'undo', execution: execution(9), calls: [execution(number)], changes, actor: null }],
    reliance: 'durable',
  })
}

describe('the layer of a call that has ended', () => {
  it('stays as long as another process owns its session: an undo may be moving contents', async () => {
    const { ours, log, place, isThere } = await landedLayers()
    expect(await forgetLayers(ours, [place], FORGOTTEN)).toBe(0)
    await limitLayers(ours, [place], { maxBytes: 1, before: Infinity })
    expect(isThere()).toEqual([true, true])
    log.close()
    expect(await forgetLayers(ours, [place], FORGOTTEN)).toBe(2)
    expect(isThere()).toEqual([false, false])
  })

  it('goes with the age limit once its session is free', async () => {
    const { ours, log, place, isThere } = await landedLayers()
    log.close()
    await limitLayers(ours, [place], { maxBytes: 0, before: Infinity })
    expect(isThere()).toEqual([false, false])
  })

  it('stays if it came into use after it was listed', async () => {
    const { ours, theirs, log, place, isThere } = await landedLayers()
    log.close()
    const open: typeof ours.open = async (session, waitMs) => {
      const other = await theirs.open(session, 0)
      beginUndo(other, 2)
      other.close()
      return ours.open(session, waitMs)
    }
    expect(await forgetLayers({ ...ours, open }, [place], FORGOTTEN)).toBe(1)
    expect(isThere()).toEqual([false, true])
  })
})

describe('what ended processes left on layers', () => {
  it('is removed also where layers lay before the folder for them became another one', async () => {
    const { top, root, stateDir, open } = bench()
    const place = join(top, 'earlier/tongs-layers')
    mkdirSync(place, { recursive: true })
    const store = openStore({ stateDir, durability: 'full', clock: systemClock })
    noteKnownPlaces(stateDir, [place])
    const log = await store.open({ root, name: 's' }, 0)
    recordCall(log, 1, [changeOf('f', 'x', 'y')], 'durable')
    for (const number of [2, 3]) recordCall(log, number)
    log.close()
    store.close()
    const [landed, left, running] = [execution(1), execution(2), execution(3)]
    const source = join(import.meta.dirname, '../../../src/host/layer/open-layer.ts')
    execFileSync(process.execPath, [
      '--input-type=module',
      '-e',
      `const { openLayer } = await import(${JSON.stringify(source)})
      for (const execution of ${JSON.stringify([landed, left, 'of-another-journal'])})
        openLayer({ execution, roots: [${JSON.stringify(root)}], places: [${JSON.stringify(place)}], rung: 'overlay' })`,
    ])
    openLayer({ execution: running, roots: [root], places: [place], rung: 'overlay' })
    const runtime = await open({ durability: 'full' })
    await runtime.run(LOOK)
    expect(readdirSync(place).toSorted()).toEqual([landed, running, 'of-another-journal'].toSorted())
  })
})
