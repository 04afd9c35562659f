import { agent, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import type { AgentApp, InitializeResponse, MaybePromise } from '@agentclientprotocol/sdk'
import { readOwnPackage } from '../../host/fs/own-package.ts'
import type { AcpServing } from '../../runtime/acp-serving.ts'
import { readAbilities } from './editor-client.ts'
import type { Abilities } from './editor-client.ts'
import type { EditorSession } from './editor-session.ts'
import { explain, invalid, needsSetup } from './explain-error.ts'
import { EXTENSION_METHODS, registerExtensions } from './extensions/extension-methods.ts'
import type { OnceAnswered } from './line-stream.ts'
import { answerPrompt } from './prompt.ts'
import { replay } from './replay.ts'
import { AVAILABLE_COMMANDS } from './slash-commands.ts'
import { folderOf } from './session-table.ts'
import type { SessionTable } from './session-table.ts'

/** The only way to authenticate. */
const SETUP = 'setup'

/** The agent that one client talks to. */
export function createAgent(
  serving: AcpServing,
  sessions: SessionTable,
  onceAnswered: OnceAnswered,
): AgentApp {
  const greet = (session: EditorSession, request: unknown): void =>
    onceAnswered(request, () => showFirst(session))
  const app = agent({ name: 'tongs' })
    .onRequest('initialize', ({ params }) => {
      sessions.abilities = readAbilities(params.clientCapabilities)
      return introduce(sessions.abilities)
    })
    .onRequest('authenticate', ({ params }) =>
      guarded(async () => {
        if (params.methodId !== SETUP)
          throw invalid(`There is no method ${JSON.stringify(params.methodId)}; there is ${SETUP}.`)
        // There is nothing to hand over: keys are never sent through an editor.
        const { findModelFault } = await import('./find-model-fault.ts')
        const fault = await findModelFault(serving)
        if (fault !== null) throw needsSetup(fault)
        return {}
      }),
    )
    .onRequest('session/new', ({ params, client, requestId }) =>
      guarded(async () => {
        const { cwd, mcpServers: servers, _meta } = params
        const wanted = { cwd, session: null, servers, needsModel: needsModel(_meta) }
        const session = await sessions.open(wanted, client)
        greet(session, requestId)
        return { sessionId: session.id, modes: session.modes, configOptions: session.options }
      }),
    )
    .onRequest('session/load', ({ params, client, requestId }) =>
      guarded(async () => {
        const { cwd, mcpServers: servers, sessionId, _meta } = params
        const wanted = { cwd, session: sessionId, servers, needsModel: needsModel(_meta) }
        const session = await sessions.open(wanted, client)
        for (const update of replay(session.source, session.facts)) {
          if (update.sessionUpdate === 'tool_call') session.report.noteKnown(update.toolCallId)
          await session.client.update(update)
        }
        await session.showPlan()
        greet(session, requestId)
        return { modes: session.modes, configOptions: session.options, ...(await waitingIn(session)) }
      }),
    )
    .onRequest('session/resume', ({ params, client, requestId }) =>
      guarded(async () => {
        const { cwd, mcpServers: servers = [], sessionId, _meta } = params
        const wanted = { cwd, session: sessionId, servers, needsModel: needsModel(_meta) }
        const session = await sessions.open(wanted, client)
        greet(session, requestId)
        return { modes: session.modes, configOptions: session.options, ...(await waitingIn(session)) }
      }),
    )
    .onRequest('session/list', ({ params }) =>
      guarded(async () => {
        const cwd = params.cwd ?? null
        const listed = await sessions.list(cwd)
        return {
          sessions: listed.map(({ name, title, updated_at: at, ...more }) => ({
            sessionId: name,
            cwd: cwd === null ? serving.root : folderOf(cwd),
            title: title ?? name,
            updatedAt: new Date(at).toISOString(),
            _meta: { tongs: more },
          })),
        }
      }),
    )
    .onRequest('session/close', ({ params }) =>
      guarded(async () => {
        await sessions.end(params.sessionId)
        return {}
      }),
    )
    .onRequest('session/prompt', ({ params, signal }) =>
      guarded(() => answerPrompt(sessions.find(params.sessionId), params.prompt, signal)),
    )
    .onNotification('session/cancel', ({ params }) => {
      sessions.all.find(({ id }) => id === params.sessionId)?.cancel()
    })
    .onRequest('session/set_mode', ({ params }) =>
      guarded(async () => {
        const session = sessions.find(params.sessionId)
        await setPreset(session, params.modeId)
        await session.client.update({ sessionUpdate: 'config_option_update', configOptions: session.options })
        return {}
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      guarded(async () => {
        const session = sessions.find(params.sessionId)
        const { configId, value } = params
        if (typeof value !== 'string') throw invalid(`${configId} takes a name.`)
        if (configId === 'preset') {
          await setPreset(session, value)
          const { currentModeId } = session.modes
          await session.client.update({ sessionUpdate: 'current_mode_update', currentModeId })
        } else if (configId === 'model')
          await session.exclusively(() => session.setModel({ model: value, baseUrl: null }))
        else throw invalid(`There is no option ${configId}; there are preset and model.`)
        return { configOptions: session.options }
      }),
    )
  return registerExtensions(app, sessions, guarded)
}

/** Answers with what went wrong and what to do, whatever was thrown. */
async function guarded<T>(act: () => MaybePromise<T>): Promise<T> {
  try {
    return await act()
  } catch (thrown) {
    throw explain(thrown)
  }
}

function introduce(can: Abilities): InitializeResponse {
  const description =
    'Run tongs setup in a terminal: it finds keys and local servers, and asks for a model. Keys are never typed into the editor.'
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'tongs', title: 'Tongs', version: readOwnPackage().version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
      _meta: { tongs: { methods: [...EXTENSION_METHODS] } },
    },
    authMethods: [
      can.hasTerminalAuth
        ? { type: 'terminal', id: SETUP, name: 'Set up a model', description, args: ['setup'] }
        : { id: SETUP, name: 'Set up a model', description },
    ],
  }
}

/** A session without a model is of use only to a client that says so, because it calls tools itself. */
function needsModel(meta: { readonly [key: string]: unknown } | null | undefined): boolean {
  const own = meta?.['tongs']
  return !(typeof own === 'object' && own !== null && 'model' in own && own.model === 'optional')
}

/** What a client is told right after it has learnt the name of a session. */
function showFirst(session: EditorSession): void {
  // A session that was closed at once has nothing to show any more.
  session.commands.show(AVAILABLE_COMMANDS).catch(() => undefined)
  session.showUsage().catch(() => undefined)
}

/** Questions that waited for this moment. */
async function waitingIn(session: EditorSession) {
  const approvals = await session.pending()
  const recovery = (await session.conversation?.recovery()) ?? null
  return approvals.length === 0 && recovery === null
    ? {}
    : { _meta: { tongs: { pending: approvals, interrupted: recovery } } }
}

async function setPreset(session: EditorSession, preset: string): Promise<void> {
  if (!session.modes.availableModes.some(({ id }) => id === preset))
    throw invalid(`There is no preset ${JSON.stringify(preset)}.`)
  await session.reopen({ preset: preset === 'configured' ? null : preset, isFallback: false })
}
