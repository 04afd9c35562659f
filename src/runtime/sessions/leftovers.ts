import { storeSize } from '../../journal/store/state-files.ts'
import { createRuntime } from '../create-runtime.ts'

/** Finishes what an interrupted process left partly landed, for commands that do not open a runtime. */
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
    // If the command needs the configuration or the journal, it reports what is wrong with them itself.
  }
}
