import type { Runtime } from '../../runtime/runtime.ts'
import { readTitle } from './title.ts'

/** A session as `tongs sessions --json` lists it. */
export interface ListedSession {
  readonly name: string
  /** A person's title or the first prompt; null if nothing was said. */
  readonly title: string | null
  /** The last model; null if there was none. */
  readonly model: string | null
  /** The preset chosen for the session; null if the configuration decides. */
  readonly preset: string | null
  /** Messages of the user and the model. */
  readonly messages: number
  readonly calls: number
  /** Epoch milliseconds. */
  readonly created_at: number
  readonly updated_at: number
  /** Whether a live process has it open. */
  readonly open: boolean
  /** The other process that has it open; absent if none has. */
  readonly owner?: { readonly pid: number; readonly command: string; readonly since: number }
}

/** The sessions of a root, the last written first. */
export async function listSessions(runtime: Runtime): Promise<readonly ListedSession[]> {
  const listed: ListedSession[] = []
  for (const { name, messages, calls, createdAt, updatedAt } of runtime.counts()) {
    const log = runtime.peek(name)
    const open = await runtime.isInUse(name)
    const owner = open ? await runtime.ownerOf(name) : null
    listed.push({
      name,
      title: readTitle(log),
      model: runtime.modelOf(name)?.model ?? null,
      preset: runtime.presetOf(name),
      messages,
      calls,
      created_at: createdAt,
      updated_at: updatedAt,
      open,
      ...(owner === null ? {} : { owner }),
    })
  }
  return listed
}
