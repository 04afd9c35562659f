import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { randomBytes } from 'node:crypto'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { readOwnPackage } from '../../host/fs/own-package.ts'
import { findCommands } from '../../runtime/commands/find-commands.ts'
import type { OwnCommands } from '../../runtime/commands/own-command.ts'
import type { McpServing } from '../../runtime/mcp-serving.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { toMcpResult } from '../../wire/mcp/result-shape.ts'
import type { ContentOf } from '../../wire/mcp/result-shape.ts'
import { formFor, readReply } from './approval-form.ts'
import { CallServer } from './call-server.ts'
import type { PlainCall } from './call-server.ts'
import type { CallHooks, CallOutcome, ClientCall, Connection } from './connection.ts'
import type { ArgumentProblems } from './line-transport.ts'
import { followLists } from './follow-lists.ts'
import type { Lists } from './follow-lists.ts'
import { getPrompt } from './prompts.ts'
import { reportProgress } from './report-progress.ts'
import { listResources, readResource } from './resources.ts'

/** What the servers of one process share. */
export interface ServerDeps {
  readonly runtime: Runtime
  readonly states: StateCodec
  /** The commands that are files, as they are now. */
  readonly commands: () => OwnCommands
  /** The lists of clients that are told together; each server has those of its own client if absent. */
  readonly lists?: Lists
}

/** Seals which question a client was given, so that it cannot answer another one. */
export type StateCodec = ReturnType<typeof createStateCodec>

interface AskedState {
  readonly approval: string
  /** The call that it is about. */
  readonly execution: string
  /** How often it was answered with something that is no answer. */
  readonly misses: number
}

const STATE_SECONDS = 24 * 3600
const KEY_BYTES = 32

export function createStateCodec() {
  return createRequestStateCodec<AskedState>({ key: randomBytes(KEY_BYTES), ttlSeconds: STATE_SECONDS })
}

/** Makes what the servers of one process share. */
export function createDeps({ runtime, stateDir }: Pick<McpServing, 'runtime' | 'stateDir'>): ServerDeps {
  const { root } = runtime
  return {
    runtime,
    states: createStateCodec(),
    commands: () => findCommands({ root, stateDir, env: process.env }),
  }
}

const INSTRUCTIONS =
  'Tools for the files and commands of one project. Every edit lands whole or not at all. A call that needs approval waits for a person: if you are told so, tell the person, and repeat exactly the same call once it was answered.'

/** How long a client may take to ask its person. */
const ROUND_MS = 24 * 3600 * 1000
const MOST_ROUNDS = 16
/** After so many answers that are none, such as those of a client that accepts every form, the call waits. */
const MOST_MISSES = 3

/** The server for one client, in whichever revision of the protocol it speaks. */
export function createServer(
  { runtime, states, commands, lists: shared }: ServerDeps,
  connection: Connection,
  problems: ArgumentProblems,
): Server {
  const server = new CallServer(
    { name: 'tongs', title: 'Tongs', version: readOwnPackage().version },
    {
      // The list of resources stays what it is while a server runs.
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: { listChanged: true } },
      instructions: INSTRUCTIONS,
      inputRequired: { maxRounds: MOST_ROUNDS, roundTimeoutMs: ROUND_MS },
      requestState: { verify: states.verify },
    },
    answerPlainCall,
  )
  const lists = shared ?? ownLists(server, { runtime, commands })
  server.setRequestHandler('tools/list', async () => ({ tools: await lists.listTools() }) as never)
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const given: unknown = params.arguments ?? {}
    const args: JsonObject = isJsonObject(given) ? given : {}
    const call: ClientCall = { name: params.name, args, problems: problems.take(ctx.mcpReq.id) }
    const progress = reportProgress(ctx)
    try {
      return await answerCall(call, { signal: ctx.mcpReq.signal, ...progress.hooks }, ctx)
    } finally {
      progress.stop()
      lists.look()
    }
  })
  server.setRequestHandler('resources/list', () => ({ resources: [...listResources()] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await readResource(params.uri, runtime, connection.session())],
  }))
  server.setRequestHandler('prompts/list', () => ({ prompts: [...lists.listPrompts()] }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    getPrompt(params.name, params.arguments ?? {}, commands()),
  )
  return server

  async function answerPlainCall(
    { id, name, args }: PlainCall,
    signal: AbortSignal,
  ): Promise<CallToolResult | null> {
    try {
      const outcome = await connection.call({ name, args, problems: problems.take(id) }, { signal })
      if (outcome.is === 'result') return showResult(outcome, attachedIn)
      return hasForms(server.getClientCapabilities()) ? null : showWaiting(outcome)
    } finally {
      lists.look()
    }
  }

  async function answerCall(
    call: ClientCall,
    hooks: CallHooks,
    ctx: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const state = ctx.mcpReq.requestState<AskedState>()
    const reply = state === undefined ? null : inputResponse(ctx.mcpReq.inputResponses, state.approval)
    if (state === undefined || reply?.kind !== 'elicit') return show(await connection.call(call, hooks), ctx)
    // An answer begins no call: what it is about may have been answered elsewhere, and be done.
    const waiting = await connection.lookUp(call, state.execution)
    if (waiting.is === 'result') return show({ ...waiting, fault: 'another answer came first' }, ctx)
    if (waiting.request.id !== state.approval) return show(waiting, ctx)
    const answer = readReply(reply, waiting.request, grantSeconds())
    const misses = state.misses + 1
    if (answer === 'later') return showWaiting(waiting)
    if (answer === null)
      return show({ ...waiting, fault: 'it is none of the answers that were offered' }, ctx, misses)
    return show(await connection.answer(call, waiting.request, answer, hooks), ctx, misses)
  }

  function grantSeconds(): number {
    return runtime.configuration.settings['tools.approval.grant_seconds']
  }

  /** What is attached to a result of this connection. */
  function attachedIn(sha256: string): Uint8Array | null {
    const session = connection.session()
    return session === null ? null : runtime.peek(session).payload(sha256)
  }

  async function show(
    outcome: CallOutcome,
    ctx: ServerContext,
    misses = 0,
  ): Promise<CallToolResult | InputRequiredResult> {
    if (outcome.is === 'result') return showResult(outcome, attachedIn)
    const { request, fault } = outcome
    const isMissed = fault !== undefined
    if (!canAsk(ctx) || (isMissed && misses >= MOST_MISSES)) return showWaiting(outcome)
    const form = formFor(request, grantSeconds())
    const message = isMissed ? `The answer was not taken: ${fault}.\n\n${form.message}` : form.message
    return inputRequired({
      inputRequests: { [request.id]: inputRequired.elicit({ ...form, message }) },
      requestState: await states.mint(
        { approval: request.id, execution: request.execution, misses: isMissed ? misses : 0 },
        ctx,
      ),
    })
  }

  /** Whether the client can show a form to a person. */
  function canAsk(ctx: ServerContext): boolean {
    const envelope: Readonly<Record<string, unknown>> = ctx.mcpReq.envelope ?? {}
    return hasForms(envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities())
  }
}

function hasForms(capabilities: unknown): boolean {
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  // One that names no way of asking has forms, as all had before there were others.
  return isJsonObject(elicitation) && (elicitation['form'] !== undefined || elicitation['url'] === undefined)
}

/** The lists of the client of one server. A client that is gone is noticed by the transport. */
function ownLists(server: Server, deps: Pick<ServerDeps, 'runtime' | 'commands'>): Lists {
  const lists = followLists(deps, {
    isShared: false,
    tellTools: () => void server.sendToolListChanged().catch(() => undefined),
    tellPrompts: () => void server.sendPromptListChanged().catch(() => undefined),
  })
  Object.assign(server, { onclose: lists.close })
  return lists
}

function showResult(
  { result, fault }: Extract<CallOutcome, { is: 'result' }>,
  contentOf: ContentOf,
): CallToolResult {
  const shown = toMcpResult(result, contentOf) as CallToolResult
  if (fault === undefined) return shown
  const note = { type: 'text' as const, text: `The answer did not count: the question ${fault}.` }
  return { ...shown, content: [...shown.content, note] }
}

function showWaiting({ notice }: Extract<CallOutcome, { is: 'asked' }>): CallToolResult {
  return toMcpResult(notice) as CallToolResult
}
