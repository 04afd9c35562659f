import type { ToolCall } from '../../../../src/core/call.ts'
import { openWorld } from './open-world.ts'
import { layFiles, SESSION } from './script.ts'
import type { Stage } from './stage.ts'
import { readTree } from './tree.ts'
import type { Tree } from './tree.ts'
import type { World } from './world.ts'

/** What the workspace looks like after each number of edits, from none to all. */
export type Golden = readonly Tree[]

/** Lays out the files, and learns from an undisturbed run what the workspace looks like after each edit. */
export async function learnGolden(world: World, calls: readonly ToolCall[]): Promise<Golden> {
  layFiles(world.root)
  world.save('files')
  const trees: Tree[] = [readTree(world.root)]
  // One by one, because edits that are committed together leave nothing to look at in between.
  const runtime = await openWorld(world, 'once', { 'tools.edit.group': false })
  try {
    await runtime.run(calls, {
      session: SESSION,
      onEvent: ({ event }) => {
        if (event !== 'result') return
        const now = readTree(world.root)
        if (JSON.stringify([...now]) !== JSON.stringify([...(trees.at(-1) ?? [])])) trees.push(now)
      },
    })
  } finally {
    await runtime.close()
  }
  world.restore('files')
  return trees
}

/** Brings a world to the beginning of a stage, and keeps it there under the stage's name. */
export async function layStage(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  name = stage.name,
): Promise<void> {
  world.restore('files')
  await stage.lay(world, calls)
  world.save(name)
}
