import type { StartNotes } from '../runtime/notes/read-notes.ts'
import { backgroundEnded } from '../journal/entries/background-note.ts'
import type { ConversationSource } from '../runtime/runtime.ts'
import { openDelegating } from './delegate/open-delegating.ts'
import type { ModelClient } from '../model/model-client.ts'
import { openModel } from '../model/open-model.ts'
import type { ContextReport, Conversation, ConversationOptions } from './conversation.ts'
import { isTurnEvent } from './events.ts'
import { openConversationLog } from './log/conversation-log.ts'
import type { ConversationLog } from './log/conversation-log.ts'
import { checkLimits } from './loop/budget.ts'
import type { Limits } from './loop/budget.ts'
import { answerHeld, listHeld } from './loop/held-calls.ts'
import { TurnRunner } from './loop/turn-runner.ts'
import { listFolderNotes } from './log/folder-notes.ts'
import { openModelSetup } from './model-setup.ts'
import type { GivenNotes, ModelSetup } from './model-setup.ts'

/** Opens the conversation of a session, with everything said in it before. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  checkOptions(options)
  const { runtime, session } = options
  const source = await runtime.converse(session)
  const log = openConversationLog(source)
  const found = options.notes === undefined ? source.notes() : null
  const notes = notesFrom(found, options.notes ?? null)
  const skills = runtime.skills().usable
  const environment =
    options.environment === undefined
      ? (log.environment() ?? (await source.environment()))
      : options.environment
  const prepare = (model: ModelClient): ModelSetup =>
    openModelSetup({
      runtime,
      source,
      session,
      log,
      model,
      protocol: options.protocol ?? 'auto',
      notes,
      skills,
      environment,
      retries: options.retries ?? {},
      isDryRun: options.dryRun ?? false,
      delegated: null,
    })
  const limits: Limits = options
  const prices = runtime.configuration.settings['model.prices']
  const given = await modelOf(options)
  checkLimits(limits, given.id, prices)
  // An approval that expired counts as denied, not as an interruption.
  await runtime.expire(session)
  noteLostCommands(log, source, runtime)
  const isInterrupted = (await runtime.recover({ session })).length > 0
  const delegatingFor = openDelegating({
    roles: runtime.roles,
    openModel: options.openRoleModel ?? ((spec) => openModel(spec)),
  })
  const setup = prepare(given)
  let told = toldIn(runtime)
  const renew = async (current: ModelSetup): Promise<ModelSetup> => {
    await runtime.servers.look()
    const now = toldIn(runtime)
    if (now === told) return current
    told = now
    return prepare(current.model)
  }
  const turns = new TurnRunner({
    runtime,
    session,
    log,
    limits,
    setup,
    renew,
    delegatingFor,
    isInterrupted,
  })

  return {
    session,
    model: () => turns.setup.model,
    send: async function* (text, sending) {
      for await (const event of turns.watch(text ?? null, sending)) if (isTurnEvent(event)) yield event
    },
    watch: (text, sending) => turns.watch(text ?? null, sending),
    steer: (text) => turns.steer(text),
    unheard: turns.steering.waiting,
    cancel: () => turns.cancel(),
    held: () => listHeld(source),
    answerTool: (id, answer) => answerHeld(source, id, answer),
    compact: (words, sending) => turns.compact(words ?? null, sending),
    takes: () => turns.setup.takes,
    context: () => reportContext(turns, log, found?.files ?? []),
    setModel: (model) => {
      checkModel(model)
      checkLimits(limits, model.id, prices)
      turns.setup = prepare(model)
    },
    damage: () => log.damage(),
    state: () => turns.state,
    recovery: () => turns.recover(),
    resume: () => turns.recover('resume'),
    discard: () => turns.recover('discard'),
  }
}

/** The tools that a model is told about, to be compared: those of servers come and go. */
function toldIn(runtime: Pick<ConversationOptions['runtime'], 'advertised'>): string {
  return runtime
    .advertised()
    .map(({ name, version }) => `${name} ${version}`)
    .join('\n')
}

/** A start without an end is of a process that died: no process of its command is left, and nobody knows how it ended. */
function noteLostCommands(
  log: ConversationLog,
  source: ConversationSource,
  runtime: Pick<ConversationOptions['runtime'], 'background'>,
): void {
  const live = new Set(runtime.background().map(({ handle }) => handle))
  for (const execution of log.read().background.keys()) {
    if (live.has(execution)) continue
    const entry = backgroundEnded(execution, { how: 'lost', exitCode: null, signal: null }, null)
    source.log.append({ entries: [entry], reliance: 'recorded' })
  }
}

function notesFrom(found: StartNotes | null, given: string | null): GivenNotes | null {
  if (found !== null) return { notes: found.workspace, userNotes: found.user, isFound: true }
  return given === null ? null : { notes: given, userNotes: null, isFound: false }
}

function reportContext(
  { setup, latestUsage }: TurnRunner,
  log: ConversationLog,
  files: StartNotes['files'],
): ContextReport {
  const { stubbedResults, summarizedMessages, messages } = setup.builtMessages()
  return {
    model: setup.model.id,
    context_tokens: setup.contextTokens,
    assumed_tokens: setup.assumedTokens,
    used_tokens: setup.usedTokens(),
    capacity_bytes: setup.capacityBytes(),
    messages: messages.length,
    stubbed_results: stubbedResults,
    summarized_messages: summarizedMessages,
    notes: [
      ...files.map(({ path, bytes, isCut }) => ({ path, bytes, is_cut: isCut })),
      ...listFolderNotes(log.read()),
    ],
    total: log.used(),
    turn: latestUsage,
  }
}

/** Tells a caller without types what is missing before anything is recorded. */
function checkOptions(options: Partial<ConversationOptions> | undefined): void {
  const { runtime, model, session } = options ?? {}
  const isModel = typeof model === 'string' || typeof model?.stream === 'function'
  if (typeof runtime?.converse === 'function' && isModel && typeof session === 'string') return
  throw new TypeError(
    'openConversation needs { runtime, model, session }: a runtime from createRuntime, a model such as script:FILE, and a session name.',
  )
}

/** Rejects a plain model name, which would only fail in the middle of a turn. */
function checkModel(model: Partial<ModelClient> | undefined): void {
  if (typeof model?.stream === 'function') return
  throw new TypeError('setModel needs an open model, as returned by openModel.')
}

/** The given model; a name is opened first. */
async function modelOf({ model, baseUrl }: ConversationOptions): Promise<ModelClient> {
  if (typeof model !== 'string') return model
  return openModel(model, baseUrl === undefined ? {} : { baseUrl })
}
