import type { AgentContext, McpServer } from '@agentclientprotocol/sdk'
import { isAbsolute } from 'node:path'
import { RequestError } from '@agentclientprotocol/sdk'
import { listSessions } from '../../agent/sessions/list-sessions.ts'
import type { ListedSession } from '../../agent/sessions/list-sessions.ts'
import { canonicalFolder } from '../../host/fs/folders.ts'
import type { AcpServing } from '../../runtime/acp-serving.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { clientOf, readAbilities } from './editor-client.ts'
import type { Abilities } from './editor-client.ts'
import { EditorSession } from './editor-session.ts'
import type { ClientFor } from './editor-session.ts'
import { invalid, needsSetup, NO_MODEL } from './explain-error.ts'
import { openSessionModel } from './open-session.ts'

/** Where a session is to be opened. */
export interface WantedSession {
  readonly cwd: string
  /** Null begins a new one. */
  readonly session: string | null
  readonly servers: readonly McpServer[]
  readonly needsModel: boolean
}

/** The sessions of one connection. */
export class SessionTable {
  /** What the client can do, from its first message on. */
  abilities: Abilities = readAbilities(undefined)
  readonly #serving: AcpServing
  readonly #open = new Map<string, EditorSession>()
  #isClosed = false

  constructor(serving: AcpServing) {
    this.#serving = serving
  }

  get all(): readonly EditorSession[] {
    return [...this.#open.values()]
  }

  /** An open session; rejects the request if there is none of this name. */
  find(id: string): EditorSession {
    const session = this.#open.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }

  /** Opens a session, or opens it again. If that fails, what was open stays open. */
  async open(wanted: WantedSession, context: AgentContext): Promise<EditorSession> {
    const { cwd, session, servers, needsModel } = wanted
    const root = folderOf(cwd)
    const known = session === null ? undefined : this.#open.get(session)
    if (known !== undefined) {
      if (known.root !== root) throw invalid(`Session ${known.id} belongs to ${known.root}, not to ${root}.`)
      // What can be wrong is looked for first, because what runs in it ends when it is closed.
      await this.#serving.load(root, this.#serving.preset)
      if (needsModel) await checkModel(known, this.#serving)
    } else if (session !== null && !(await this.list(cwd)).some(({ name }) => name === session))
      throw RequestError.sessionNotFound(session)
    const opening = {
      root,
      cwd,
      session,
      preset: this.#serving.preset,
      model: null,
      isFallback: false,
      tools: [],
      adjust: asLoaded,
      isOurs: false,
    }
    const can = this.abilities
    const clientFor = (id: string) => clientOf(context, can, id)
    if (known !== undefined) await this.end(known.id)
    try {
      const opened = await EditorSession.open(this.#serving, opening, clientFor, can)
      opened.handed = servers
      await prepareModel(opened, needsModel)
      return await this.#keep(opened)
    } catch (thrown) {
      const again =
        known === undefined || this.#open.has(known.id)
          ? null
          : openAgain(known, this.#serving, clientFor, can)
      // What the request is told is why it failed, also if nothing can be opened any more.
      const restored = await again?.catch(() => null)
      if (restored !== undefined && restored !== null) await this.#keep(restored)
      throw thrown
    }
  }

  /** Adds a session to the open ones, unless all of them were closed meanwhile. */
  async #keep(session: EditorSession): Promise<EditorSession> {
    if (this.#isClosed) await session.close()
    else this.#open.set(session.id, session)
    return session
  }

  /** The sessions of a root, the last written first. */
  async list(cwd: string | null): Promise<readonly ListedSession[]> {
    const root = cwd === null ? this.#serving.root : folderOf(cwd)
    const open = this.all.find((session) => session.root === root)
    if (open !== undefined) return listSessions(open.runtime)
    const { stateDir } = this.#serving
    const runtime = await createRuntime({ root, stateDir, loaded: await this.#serving.load(root, null) })
    try {
      return await listSessions(runtime)
    } finally {
      await runtime.close()
    }
  }

  /** Ends one session; the log keeps it. */
  async end(id: string): Promise<void> {
    const session = this.find(id)
    this.#open.delete(id)
    await session.close()
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#isClosed = true
    const sessions = this.all
    this.#open.clear()
    await Promise.allSettled(sessions.map((session) => session.close()))
  }
}

/** Opens the model of a session, and closes the session if there is none and it needs one. */
async function prepareModel(session: EditorSession, isNeeded: boolean): Promise<void> {
  try {
    await session.requireConversation()
  } catch (thrown) {
    if (!isNeeded) return
    await session.close()
    throw thrown
  }
}

/** Throws if the model with which a session would be opened again cannot be opened. */
async function checkModel(session: EditorSession, serving: AcpServing): Promise<void> {
  if ((await openSessionModel(serving, session, null)) === null) throw needsSetup(NO_MODEL)
}

/** A session that was closed, as it was before. */
async function openAgain(
  closed: EditorSession,
  serving: AcpServing,
  clientFor: ClientFor,
  can: Abilities,
): Promise<EditorSession> {
  const again = await EditorSession.open(serving, { ...closed.opening, isOurs: true }, clientFor, can)
  again.handed = closed.handed
  if (closed.conversation !== null) await again.openModel().catch(() => undefined)
  return again
}

const asLoaded: <T>(loaded: T) => T = (loaded) => loaded

/** The folder of a session, without links. The protocol makes it the boundary, so it is the root as it stands. */
export function folderOf(cwd: string): string {
  const root = isAbsolute(cwd) ? canonicalFolder(cwd) : null
  if (root !== null) return root
  throw invalid(`cwd must be the absolute path of a folder that exists, and ${JSON.stringify(cwd)} is not.`)
}
