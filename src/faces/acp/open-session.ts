import { keySourcesOf, resolveModel } from '../../agent/model-access.ts'
import type { NamedModel } from '../../agent/model-access.ts'
import type { LoadedSettings } from '../../config/load-settings.ts'
import type { Approver } from '../../core/approval.ts'
import type { OpenBuffers } from '../../workspace/buffers/open-buffers.ts'
import type { Tool } from '../../core/tool.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import type { AcpServing } from '../../runtime/acp-serving.ts'
import { userFolder } from '../../host/fs/folders.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { ConversationSource, Runtime } from '../../runtime/runtime.ts'

/** How a session is opened, and opened again when something of this changes. */
export interface Opening {
  readonly root: string
  /** The root as the editor names it. */
  readonly cwd: string
  /** Null begins a new one. */
  readonly session: string | null
  readonly preset: string | null
  /** Whether nobody chose the preset, so that it is not recorded. */
  readonly isFallback: boolean
  /** Chosen in this session; null is the last one used there, or the usual one. */
  readonly model: NamedModel | null
  /** Functions of the client that are tools of the session. */
  readonly tools: readonly Tool[]
  /** Adds what the client handed over to the settings. */
  readonly adjust: (loaded: LoadedSettings) => LoadedSettings
  /** Set if this process had it until now, so that it waits for whoever took it meanwhile. */
  readonly isOurs: boolean
}

/** What of it may change while the session is open. */
export type Reopened = 'preset' | 'isFallback' | 'tools' | 'adjust'

/** A session that this process has. */
export interface OpenedSession {
  readonly runtime: Runtime
  readonly source: ConversationSource
  readonly session: string
  /** What it was opened as. */
  readonly found: Pick<Opening, 'session' | 'preset' | 'isFallback'>
}

/** New sessions are named after the protocol, so that `tongs sessions` tells where they come from. */
const PREFIX = 'acp-'

/** Opens a session of a root; throws if another process has it. */
export async function openSession(
  serving: AcpServing,
  opening: Opening,
  approve: Approver,
  buffers: OpenBuffers | null,
): Promise<OpenedSession> {
  const { root, session, isOurs } = opening
  const open = async (preset: string | null): Promise<Runtime> =>
    createRuntime({
      root,
      userFolder: userFolder(process.env),
      stateDir: serving.stateDir,
      loaded: opening.adjust(await serving.load(root, preset)),
      approve,
      actor: { id: serving.actor },
      tools: opening.tools,
      ...(buffers === null ? {} : { buffers }),
    })
  let runtime = await open(opening.preset)
  try {
    const chosen = session === null || opening.preset !== null || isOurs ? null : runtime.goOnWith(session)
    if (chosen !== null && chosen.doubt !== null) serving.tell(chosen.doubt)
    const own = chosen?.preset ?? null
    if (own !== null) {
      await runtime.close()
      runtime = await open(own)
    }
    await runtime.ready()
    // Prepared ahead, so that the first command starts quickly; if that fails, the command reports it.
    void runtime.warm().catch(() => undefined)
    if (session !== null && !isOurs) await runtime.claim(session)
    const name = session ?? (await runtime.begin(PREFIX))
    const preset = opening.preset ?? own
    const found = { session: name, preset, isFallback: chosen?.isFallback === true }
    return { runtime, source: await runtime.converse(name), session: name, found }
  } catch (thrown) {
    await runtime.close()
    throw thrown
  }
}

/** Opens the model of a session; null if there is none. Throws a ModelError if it cannot be opened. */
export async function openSessionModel(
  serving: AcpServing,
  { runtime, source }: Pick<OpenedSession, 'runtime' | 'source'>,
  chosen: NamedModel | null,
): Promise<ModelClient | null> {
  const { root, configuration } = runtime
  const { settings } = configuration
  const latest = source.lastModel()
  const found = resolveModel({ given: serving, chosen, latest, settings, env: process.env })
  if (found === null) return null
  const keys = keySourcesOf(settings, { env: process.env, root }, serving.tell)
  const { spec, baseUrl } = found
  return openModel(spec, { keys, ...(baseUrl === null ? {} : { baseUrl }) })
}
