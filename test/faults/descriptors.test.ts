import * as fs from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { troublesOf, withTrouble } from '../harness/faults/failing.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { SESSION } from '../harness/faults/world/script.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import type { Step } from '../harness/faults/world/watching.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const TIMEOUT_MS = 120_000
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
  'a runtime that is closed holds nothing of its state folder open, whichever write to it has failed',
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
    await watchSteps(note, useAndClose)
    expect(listHeld()).toEqual([])
    const held: string[] = []
    let hits = 0
    for (const [at, step] of steps.entries()) {
      for (const isLasting of troublesOf(step).includes('EIO') ? [false, true] : []) {
        world.restore('used')
        const hit = await withTrouble({ step: at + 1, trouble: 'EIO', isLasting }, useAndClose)
        if (hit !== null) hits++
        const fault = `${step.name} ${step.target}${isLasting ? ' for good' : ''}`
        for (const path of listHeld()) held.push(`${path} since ${fault}`)
        if (held.length > 0) break
      }
    }
    expect(hits).toBeGreaterThan(10)
    expect(held).toEqual([])
  },
)
