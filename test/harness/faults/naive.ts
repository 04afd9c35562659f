import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { Entry, FileChange } from '../../../src/journal/entries/entry.ts'
import { payloadsOf } from '../../../src/journal/entries/mentions.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import { openWorld } from './world/open-world.ts'
import { SESSION } from './world/script.ts'
import type { Stage } from './world/stage.ts'
import type { World } from './world/world.ts'

/** What an undisturbed batch left in the journal. */
interface Recorded {
  readonly entries: readonly Entry[]
  /** Contents in base64, by digest. */
  readonly payloads: Readonly<Record<string, string>>
}

/** Runs a batch for real and keeps its record, for the naive writer to repeat. */
async function learnRecord(world: World, calls: readonly ToolCall[]): Promise<void> {
  const runtime = await openWorld(world)
  await runtime.run(calls, { session: SESSION })
  const entries = [...runtime.log({ session: SESSION })].map(({ entry }) => entry)
  await runtime.close()
  const store = openStore({ stateDir: world.stateDir, durability: 'full', clock: systemClock })
  const digests = entries.flatMap((entry) => payloadsOf(entry).map(({ digest }) => digest))
  const payloads = Object.fromEntries(
    digests.map((digest) => [digest, Buffer.from(store.payload(digest) ?? []).toString('base64')]),
  )
  store.close()
  fs.writeFileSync(join(world.top, 'recorded.json'), JSON.stringify({ entries, payloads } satisfies Recorded))
  world.restore('files')
}

/** Does what many programs do: writes the files where they are, one after the other, and records it afterwards. */
const writeThenRecord: Stage['act'] = async (_runtime, _calls, tell, world) => {
  const recorded = JSON.parse(fs.readFileSync(join(world.top, 'recorded.json'), 'utf8')) as Recorded
  const payloads = new Map(
    Object.entries(recorded.payloads).map(([digest, text]) => [digest, Buffer.from(text, 'base64')]),
  )
  const settled = recorded.entries.filter((entry) => entry.kind === 'settled')
  for (const change of settled.flatMap(({ changes }) => changes)) writeInPlace(change, payloads)
  const store = openStore({ stateDir: world.stateDir, durability: 'full', clock: systemClock })
  try {
    const log = await store.open({ root: world.root, name: SESSION })
    log.append({ entries: recorded.entries, payloads, reliance: 'durable' })
    for (const { execution } of settled) log.landed(execution)
    tell(settled.map(({ execution }) => ({ is: 'result', execution, code: null })))
  } finally {
    store.close()
  }
}

function writeInPlace({ root, path, after }: FileChange, payloads: ReadonlyMap<string, Uint8Array>): void {
  const file = join(root, path)
  if (after === null) {
    fs.unlinkSync(file)
    return
  }
  fs.mkdirSync(dirname(file), { recursive: true })
  fs.writeFileSync(file, payloads.get(after.digest) ?? '')
  fs.chmodSync(file, after.mode)
}

/** A stage with a planted bug, which every engine must find; left alone it breaks no law. */
export const NAIVE: Stage = { name: 'naive writing', lay: learnRecord, act: writeThenRecord, argv: [] }
