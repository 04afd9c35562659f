import { ASSUMED_CONTEXT_TOKENS } from '../config/fixed-values.ts'
import type { Settings } from '../config/keys.ts'
import type { AttachmentType } from '../core/attachment/attachment.ts'
import type { AdvertisedTool, ModelClient, ModelRequest } from '../model/model-client.ts'
import type { RetryOptions } from '../model/with-retries.ts'
import type { ConversationSource, Runtime } from '../runtime/runtime.ts'
import { chooseAdvertised, guideTo } from './context/advertised.ts'
import { attachedIn, capacityBytes, countTokens, estimateTokens } from './context/capacity.ts'
import { hasTooMany, sendAttachments, takenBy } from './context/taken-attachments.ts'
import type { ConversationLog } from './log/conversation-log.ts'
import { createMessageBuilder } from './context/build-messages.ts'
import type { BuiltMessages, HashText } from './context/build-messages.ts'
import { findFound } from './context/found-tools.ts'
import type { NamedSkill } from './context/skill-lines.ts'
import { writeInstructions } from './context/instructions.ts'
import type { Protocol } from './loop/read-calls.ts'
import { isFilled } from './context/compact.ts'
import type { ContextRoom } from './context/compact.ts'
import type { Transcript } from './log/transcript.ts'

/** Everything a turn of one conversation with one model needs. */
export interface ModelSetup {
  readonly runtime: Runtime
  readonly source: ConversationSource
  readonly session: string
  readonly settings: Settings
  readonly log: ConversationLog
  readonly model: ModelClient
  readonly protocol: Protocol
  /** The same setup with fenced calls, for a model that turns out to have no tool support; null if fenced calls are not allowed. */
  readonly withFencedCalls: (() => ModelSetup) | null
  /** How calls are parsed: also from the text if the model mixes both kinds. */
  readonly reading: Protocol
  readonly retries: RetryOptions
  /** Whether the model is told the notes of folders that it comes to work in. */
  readonly hasNotes: boolean
  /** What the instructions say about the environment. */
  readonly environment: string | null
  readonly isDryRun: boolean
  /** What sets it apart if it is delegated; null if it is the conversation of the session. */
  readonly delegated: DelegatedSetup | null
  /** The setup of a conversation that this one delegates. */
  readonly delegate: (log: ConversationLog, model: ModelClient, delegated: DelegatedSetup) => ModelSetup
  /** The tools that its model is told about. */
  readonly toolNames: () => readonly string[]
  readonly room: ContextRoom | null
  readonly contextTokens: number | null
  /** What is assumed if the context window is unknown; null if it is known, or if there is none. */
  readonly assumedTokens: number | null
  readonly builtMessages: () => BuiltMessages
  readonly request: () => ModelRequest
  /** An estimate of the next request by its bytes alone. */
  readonly estimatedTokens: () => number
  /** The same by the provider's last count and an estimate of what is new, for the conversation as it is or would be. */
  readonly sizeOf: (transcript: Transcript) => number
  readonly usedTokens: () => number
  readonly digest: HashText
  /** The pictures and documents that the model is shown. */
  readonly takes: readonly AttachmentType[]
  /** Whether the next request shows the model a picture or document. */
  readonly hasAttached: () => boolean
  /** Whether older messages are shortened before the next request. */
  readonly isFull: () => boolean
  /** The most bytes that the next results may have together. */
  readonly capacityBytes: () => number
}

/** The notes for agents that a conversation begins with. */
export interface GivenNotes {
  readonly notes: string | null
  readonly userNotes: string | null
  /** Whether they were found in the workspace, and not given. */
  readonly isFound: boolean
}

const NO_NOTES = { notes: null, userNotes: null }

/** Options for a model setup. */
export interface ModelSetupOptions {
  readonly runtime: Runtime
  readonly source: ConversationSource
  readonly session: string
  readonly log: ConversationLog
  readonly model: ModelClient
  readonly protocol: Protocol | 'auto'
  /** What the instructions say about the workspace and the user; null for nothing, also while the model works. */
  readonly notes: GivenNotes | null
  /** The skills that the instructions list. */
  readonly skills: readonly NamedSkill[]
  /** The environment in which the session began; null tells the model nothing about it. */
  readonly environment: string | null
  readonly retries: Partial<RetryOptions>
  readonly isDryRun: boolean
  readonly delegated: DelegatedSetup | null
}

/** What sets a delegated conversation apart. */
export interface DelegatedSetup {
  /** The call that it belongs to. */
  readonly execution: string
  /** 1 for one that the conversation of the session began. */
  readonly depth: number
  readonly tools: ReadonlySet<string>
  /** What its role says; null without a role. */
  readonly role: string | null
}

const utf8 = new TextEncoder()

/** Prepares everything for turns with a model. */
export function openModelSetup(options: ModelSetupOptions): ModelSetup {
  const { runtime, source, session, log, model, notes, skills, environment, delegated } = options
  const { settings } = runtime.configuration
  const protocol = options.protocol === 'auto' ? (model.hasTools ? 'native' : 'fenced') : options.protocol
  const advertised =
    delegated === null
      ? chooseAdvertised(runtime.advertised(), settings)
      : chooseAdvertised(runtime.definitions(), settings).filter(({ name }) => delegated.tools.has(name))
  const rules = runtime.rules().map(({ sentence }) => sentence)
  const system = writeInstructions({
    tools: advertised,
    protocol,
    rules,
    environment,
    skills,
    ...(notes ?? NO_NOTES),
    delegated,
  })
  const told = protocol === 'native' ? advertised.map(toAdvertised) : []
  // Fenced calls need no list: what was found is in the results, and the instructions stay as they are.
  const toolsIn = (transcript: Transcript): readonly AdvertisedTool[] =>
    told.length === 0 || delegated !== null
      ? told
      : [...told, ...runtime.found(findFound(transcript)).map((one) => toAdvertised(guideTo(one)))]
  // A configured size belongs to the configured model; of another one, what is known about it counts.
  const isOther = settings['model.name'] !== '' && settings['model.name'] !== model.id
  const contextTokens = isOther
    ? (model.contextTokens ?? (settings['model.context_tokens'] || null))
    : settings['model.context_tokens'] || model.contextTokens
  const takes = takenBy(model, settings['model.attachments'], isOther)
  const reserve = {
    responseTokens: settings['conversation.response_reserve_tokens'],
    marginTokens: settings['conversation.safety_margin_tokens'],
  }
  const assumedTokens = contextTokens === null && model.isUnbounded !== true ? ASSUMED_CONTEXT_TOKENS : null
  const window = contextTokens ?? assumedTokens
  const room: ContextRoom | null =
    window === null
      ? null
      : {
          tokens: Math.max(0, window - reserve.responseTokens - reserve.marginTokens),
          shrinkAtPercent: settings['conversation.shrink_at_percent'],
          keepPercent: settings['conversation.keep_percent'],
        }
  const digest: HashText = (text) => source.digest(utf8.encode(text))
  const built = createMessageBuilder(protocol, digest)
  const builtMessages = (): BuiltMessages => built(log.read())
  const estimate = (transcript: Transcript): number =>
    estimateTokens(system, built(transcript).messages, toolsIn(transcript), takes)
  const estimatedTokens = (): number => estimate(log.read())
  const sizeOf = (transcript: Transcript): number => {
    const measured = log.measured()
    // Models count differently.
    return countTokens(estimate(transcript), measured?.model === model.id ? measured : null)
  }
  const usedTokens = (): number => sizeOf(log.read())
  return {
    runtime,
    source,
    session,
    settings,
    log,
    model,
    protocol,
    withFencedCalls:
      options.protocol === 'auto' && protocol === 'native'
        ? () => openModelSetup({ ...options, protocol: 'fenced' })
        : null,
    reading: options.protocol !== 'native' && model.mixesCalls === true ? 'fenced' : protocol,
    retries: retriesOf(settings, options.retries),
    hasNotes: notes?.isFound === true,
    environment,
    isDryRun: options.isDryRun,
    delegated,
    delegate: (itsLog, itsModel, itsOwn) =>
      openModelSetup({ ...options, log: itsLog, model: itsModel, delegated: itsOwn }),
    toolNames: () => [...advertised.map(({ name }) => name), ...findFound(log.read())],
    contextTokens,
    assumedTokens,
    room,
    builtMessages,
    estimatedTokens,
    sizeOf,
    usedTokens,
    digest,
    takes,
    hasAttached: () => attachedIn(builtMessages().messages).some(({ type }) => takes.includes(type)),
    isFull: () =>
      hasTooMany(builtMessages().messages, takes) ||
      (room !== null && isFilled(room, usedTokens(), room.shrinkAtPercent)),
    request: () => {
      const { messages, leftOut } = builtMessages()
      const tools = toolsIn(log.read())
      const attachments = sendAttachments(messages, takes, source.log.payload)
      return {
        system,
        messages,
        tools,
        ...attachments,
        ...(leftOut === 0 ? {} : { leftOut }),
        ...(delegated === null ? {} : { isDelegated: true }),
      }
    },
    capacityBytes: () => {
      const fallback = settings['tools.output.fallback_capacity_bytes']
      // The estimate is on the safe side, and what a provider counts may be above it.
      const used = Math.max(usedTokens(), estimatedTokens())
      const left = capacityBytes(contextTokens, used, reserve, fallback)
      const most = settings['tools.output.capacity_bytes']
      return most === 0 ? left : Math.min(left, most)
    },
  }
}

function toAdvertised({ name, description, inputSchema }: AdvertisedTool): AdvertisedTool {
  return { name, description, inputSchema }
}

function retriesOf(settings: Settings, overrides: Partial<RetryOptions>): RetryOptions {
  return {
    maxRetries: settings['model.retry.max'],
    firstDelayMs: settings['model.retry.first_seconds'] * 1000,
    maxDelayMs: settings['model.retry.longest_seconds'] * 1000,
    idleMs: settings['model.idle_seconds'] * 1000,
    ...overrides,
  }
}
