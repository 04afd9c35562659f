import { mkdirSync } from 'node:fs'
import { openConversation } from '../../../../src/agent/open-conversation.ts'
import { systemClock } from '../../../../src/host/system/clock.ts'
import { repairStore } from '../../../../src/journal/repair/repair-store.ts'
import { createScriptClient } from '../../../../src/model/script-client.ts'
import type { ToolCall } from '../../../../src/core/call.ts'
import { liveIn } from '../life.ts'
import { openWorld } from '../world/open-world.ts'
import { LIBRARY_CALLS, SESSION } from '../world/script.ts'
import type { Stage } from '../world/stage.ts'
import { STAGES } from '../world/stages.ts'
import type { World } from '../world/world.ts'

const NARROW_PATCH = `LP1
F a.txt
R
beta
.
BETA
.
F new/one/n1.txt
T
first
.
END`

/** Few calls, so that each call of the machine can be met: two reads, a patch, an addition, and a tool of ours. */
export const SWEPT_CALLS: readonly ToolCall[] = [
  { id: 's1', name: 'read_file', args: { path: 'a.txt' } },
  { id: 's2', name: 'read_file', args: { path: 'log.txt' } },
  { id: 's3', name: 'apply_patch', args: { patch: NARROW_PATCH } },
  { id: 's4', name: 'write_file', args: { path: 'log.txt', content: 'once\n', append: true } },
  ...LIBRARY_CALLS.filter(({ name }) => name === 'tidy'),
]

const READ: ToolCall = { id: 'r', name: 'read_file', args: { path: 'a.txt' } }
/** A process that has written so often keeps its records in a segment of its own. */
const ENOUGH_FOR_A_SEGMENT = 14

async function inWorld(world: World, use: Stage['act'], calls: readonly ToolCall[]): Promise<void> {
  const runtime = await openWorld(world)
  try {
    await use(runtime, calls, () => undefined, world)
  } finally {
    await runtime.close()
  }
}

const runInTwo: Stage['act'] = async (runtime, calls) => {
  await runtime.run(calls, { session: SESSION })
  await runtime.run([READ], { session: 'other' })
}

/** Leaves a segment whose rows no database has: the process dies before it takes them up. */
async function leaveSegment(world: World, calls: readonly ToolCall[]): Promise<void> {
  let isOver = false
  const { diedAt } = await liveIn(
    world,
    async (runtime) => {
      await runtime.run(calls, { session: SESSION })
      for (let round = 0; round < ENOUGH_FOR_A_SEGMENT; round++)
        await runtime.run([READ], { session: 'other' })
      isOver = true
      mkdirSync(world.top, { recursive: true })
    },
    calls,
    undefined,
    () => isOver,
    () => undefined,
  )
  if (diedAt === null) throw new Error('it did not die')
}

/** Talks with a model that follows a script, which reads first and then edits. */
const talk: Stage['act'] = async (runtime, calls, tell) => {
  const turns = [
    { text: 'First.', calls: calls.slice(0, 2) },
    { text: 'Then.', calls: calls.slice(2) },
    ...Array.from({ length: 9 }, () => ({ text: 'Done.' })),
  ]
  const model = createScriptClient('script:sweep', JSON.stringify({ turns }))
  const conversation = await openConversation({ runtime, session: SESSION, model, environment: 'none' })
  for await (const event of conversation.send('go')) {
    if (event.event !== 'result') continue
    const { ok, execution } = event
    if (ok) tell([{ is: 'result', execution: execution.id, code: null }])
  }
}

/** Every command whose calls of the machine are swept. */
export const OPERATIONS: readonly Stage[] = [
  ...STAGES,
  {
    name: 'run',
    lay: async () => undefined,
    act: talk,
    argv: [],
  },
  {
    name: 'taking up the log',
    lay: leaveSegment,
    act: async (runtime) => {
      await runtime.ready()
      await runtime.run([READ], { session: 'third' })
    },
    argv: [],
  },
  {
    name: 'forget',
    lay: (world, calls) => inWorld(world, runInTwo, calls),
    act: async (runtime) => {
      await runtime.forget({ session: 'other' })
    },
    argv: [],
  },
  {
    name: 'repair',
    lay: (world, calls) => inWorld(world, runInTwo, calls),
    act: async (runtime, _calls, _tell, world) => {
      await runtime.close()
      await repairStore(world.stateDir, systemClock)
    },
    argv: [],
    endsRuntime: true,
  },
]
