import { storeSize } from '../../journal/store/state-files.ts'
import { createRuntime } from '../create-runtime.ts'

/** Finishes what an interrupted process left half in place, for commands that need nothing else of the runtime. */
export async function finishLeftovers({
  root,
  stateDir,
}: {
  readonly root: string
  readonly stateDir: string
}): Promise<void> {
  if (storeSize(stateDir) === null) return
  try {
    const runtime = await createRuntime({ root, stateDir })
    try {
      await runtime.ready()
    } finally {
      await runtime.close()
    }
  } catch {
    // The command itself says what is wrong with the configuration or the journal, if it needs them.
  }
}
