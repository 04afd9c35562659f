import * as fs from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { troublesOf, withTrouble } from '../harness/faults/failing.ts'
import { someOf } from '../harness/long-run.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { SESSION } from '../harness/faults/world/script.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import type { Step } from '../harness/faults/world/watching.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const TIMEOUT_MS = 600_000
/** So many calls of the machine fail in each run. */
const MEETINGS = 60
const DESCRIPTORS = '/proc/self/fd'
const world = makeWorld()
afterAll(world.remove)

/** Opens a runtime, makes an entry and closes it again, as far as the machine lets it. */
async function useAndClose(): Promise<void> {
  const runtime = await openWorld(world).catch(() => null)
  if (runtime === null) return
  const call = { id: 'r', name: 'read_file', args: { path: 'a.txt' } }
  await runtime.run([call], { session: SESSION }).catch(() => undefined)
  await runtime.close().catch(() => undefined)
}

/** The files of the world that this process holds open. */
function listHeld(): readonly string[] {
  return fs.readdirSync(DESCRIPTORS).flatMap((fd) => {
    try {
      const target = fs.readlinkSync(`${DESCRIPTORS}/${fd}`)
      return target.startsWith(world.top) ? [target] : []
    } catch {
      return []
    }
  })
}

it.runIf(process.platform === 'linux')(
  'a runtime that is closed holds nothing of its state folder open, whichever call of the machine has failed',
  { timeout: TIMEOUT_MS },
  async () => {
    fs.writeFileSync(`${world.root}/a.txt`, 'alpha\n')
    await useAndClose()
    world.save('used')
    const steps: Step[] = []
    const note = (step: Step): null => {
      steps.push(step)
      return null
    }
    await watchSteps(note, useAndClose, 'all')
    expect(listHeld()).toEqual([])
    const meetings = steps.flatMap((step, at) =>
      (troublesOf(step).includes('EIO') ? [false, true] : []).map((isLasting) => ({
        step: at + 1,
        trouble: 'EIO' as const,
        isLasting,
        reach: 'all' as const,
      })),
    )
    let hits = 0
    for (const meeting of someOf(meetings, MEETINGS)) {
      world.restore('used')
      const hit = await withTrouble(meeting, useAndClose)
      if (hit !== null) hits++
      expect({ meeting, hit, held: listHeld() }).toEqual({ meeting, hit, held: [] })
    }
    expect(hits).toBeGreaterThan(MEETINGS / 2)
  },
)
