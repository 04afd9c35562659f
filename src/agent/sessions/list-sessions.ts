import type { SessionCounts } from '../../journal/overview/session-overview.ts'
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

/** The sessions of a root, the last written first; or those that are given, since looking at each takes time. */
export async function listSessions(
  runtime: Runtime,
  sessions: readonly SessionCounts[] = runtime.counts(),
): Promise<readonly ListedSession[]> {
  const read = runtime.readTogether(() => sessions.map((session) => readOne(runtime, session)))
  const listed: ListedSession[] = []
  for (const session of read) {
    const open = await runtime.isInUse(session.name)
    const owner = open ? await runtime.ownerOf(session.name) : null
    listed.push({ ...session, open, ...(owner === null ? {} : { owner }) })
  }
  return listed
}

function readOne(
  runtime: Runtime,
  { name, messages, calls, createdAt, updatedAt, kinds }: SessionCounts,
): Omit<ListedSession, 'open' | 'owner'> {
  const hasTitle = kinds.includes('titled') || kinds.includes('said')
  return {
    name,
    title: hasTitle ? readTitle(runtime.peek(name)) : null,
    model: kinds.includes('note') ? (runtime.modelOf(name)?.model ?? null) : null,
    preset: kinds.includes('opened') ? runtime.presetOf(name) : null,
    messages,
    calls,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}
