import { join } from 'node:path'
import type { Command } from '../faults/command.ts'
import { tongs } from '../faults/command.ts'
import type { World } from '../faults/world/world.ts'

/** A bug: a text of a source file that is replaced by another. */
export interface Planted {
  readonly file: string
  readonly text: string
  readonly replacement: string
}

/** Writes the record of a commit before what it tells of is on the disk. */
export const RECORD_BEFORE_SYNC: Planted = {
  file: 'src/pipeline/commit/write.ts',
  text: 'await workspace.syncHeld(changes)',
  replacement: 'setTimeout(() => void workspace.syncHeld(changes), 0)',
}

/** Changes the workspace before that is on record, as a naive lander does. */
export const LANDED_UNRECORDED: Planted = {
  file: 'src/pipeline/commit/write.ts',
  text: 'await append(answers, run, (others) => confirmAll(changing, others, run))',
  replacement: `for (const { entry } of changing) await workspace.landGently(entry.execution, entry.changes, () => null, {})
    await append(answers, run, (others) => confirmAll(changing, others, run))`,
}

/** Takes a transaction for committed whatever the disk says. */
export const SWALLOWED_ERROR: Planted = {
  file: 'src/host/db/sqlite.ts',
  text: "statement('COMMIT').run()",
  replacement: "try { statement('COMMIT').run() } catch { database.exec('ROLLBACK') }",
}

const PLANT = new URL('plant.ts', import.meta.url).href
const CHILD = join(import.meta.dirname, 'layer-child.ts')

/** A stage played from the sources, with a bug in them or none. */
export function playedStage(world: World, stage: string, planted: Planted | null): Command {
  const { argv, env } = tongs(world, [])
  const [node = ''] = argv
  if (planted === null) return { argv: [node, CHILD, world.top, stage], stdin: '', env }
  return {
    argv: [node, '--import', PLANT, CHILD, world.top, stage],
    stdin: '',
    env: { ...env, FAULTS_PLANTED: JSON.stringify(planted) },
  }
}

/** A process that could not write to its state folder when it looked first never looks again. */
export const REFUSED_FOR_GOOD: Planted = {
  file: 'src/runtime/sessions/sessions.ts',
  text: 'opened.refusal !== null && findRefusal(stateDir) === null',
  replacement: 'opened.refusal !== null && findRefusal(stateDir) === undefined',
}

/** Takes a disk that cannot be read for a file that somebody has changed. */
export const TAKEN_FOR_CHANGED: Planted = {
  file: 'src/host/root/io-failure.ts',
  text: " || error.details['errno'] === 'EIO'",
  replacement: '',
}

/** Takes what the system cannot say for now for its last word. */
export const TAKEN_FOR_NO_PLACE: Planted = {
  file: 'src/host/layer/mounts.ts',
  text: "if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null",
  replacement: "if (errnoOf(error) !== '') return null",
}
