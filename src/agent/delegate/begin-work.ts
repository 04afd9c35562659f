import type { DelegatedRequest } from '../../core/conversation/delegation.ts'
import { delegationNote, readDelegation } from '../../journal/folds/read-delegation.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import type { ModelClient } from '../../model/model-client.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import type { Usage } from '../events.ts'
import { openConversationLog } from '../log/conversation-log.ts'
import { isWhole, rowsOf } from '../log/spoken-batch.ts'
import type { ModelSetup } from '../model-setup.ts'
import type { Turn } from '../loop/turn-state.ts'
import { delegatedLog, modelIn } from './delegated-log.ts'
import type { PlannedWork } from './plan-work.ts'

/** A delegated conversation that is ready to ask its model. */
export interface BegunWork {
  readonly setup: ModelSetup
  readonly rounds: number
  readonly requests: number
  readonly usage: Usage
  /** A batch of its own that waited for conversations further down and goes on first, or null. */
  readonly parked: string | null
}

interface Beginning {
  readonly request: DelegatedRequest
  readonly work: Extract<PlannedWork, { ok: true }>
  readonly model: ModelClient
}

const utf8 = new TextEncoder()

/**
 * Begins a delegated conversation, or takes up the one that is on record for its call: what was said there stays said,
 * and it keeps the tools and the role that it began with, as far as they are still there.
 */
export function beginWork({ request, work, model }: Beginning, parent: Turn): BegunWork {
  const { source } = parent.setup
  const { execution } = request
  const own = delegatedLog(source.log, execution)
  const log = openConversationLog({ ...source, ...modelIn(own), log: own })
  // What another program says about how it began does not count.
  const about = source.log.about(execution).filter(({ seq }) => source.log.vouchesFor(seq))
  const before = readDelegation(about, execution)
  const tools = before === null ? work.tools : work.tools.filter((name) => before.tools.includes(name))
  const role = before === null ? (work.role?.text ?? null) : readText(before.text, source)
  const { depth } = work
  const setup = parent.setup.delegate(log, model, { execution, depth, tools: new Set(tools), role })
  if (before === null) noteBegin({ request, work, model }, source)
  log.noteModel(model)
  const { spoken, batch, isAnswered, rounds } = log.read()
  const isOwed = batch !== null && !isAnswered
  if (spoken.length === 0) log.sayUser(parent.id, work.task.task)
  else if (isOwed && isWhole(batch)) {
    for (const result of rowsOf(batch))
      parent.emit({ event: 'result', ...result, delegate: { id: request.id, execution } })
    log.sayResults(parent.id, model.id)
  }
  return {
    setup,
    rounds,
    requests: spoken.filter((one) => one.role === 'assistant').length,
    usage: log.used(),
    parked: isOwed && !isWhole(batch) ? batch.entry.batch : null,
  }
}

/** Durable before its model is asked: from here on it has begun, and is never begun again. */
function noteBegin({ request: { execution }, work }: Beginning, { log, digest }: ConversationSource): void {
  const { role, tools, depth } = work
  const bytes = role === null ? null : utf8.encode(role.text)
  const text = bytes === null ? null : digest(bytes)
  log.append({
    entries: [delegationNote({ execution, role: role?.name ?? null, tools, depth, text })],
    ...(bytes === null || text === null ? {} : { payloads: new Map([[text, bytes]]) }),
    reliance: 'durable',
  })
}

function readText(text: Digest | null, { log }: ConversationSource): string | null {
  const bytes = text === null ? null : log.payload(text)
  return bytes === null ? null : new TextDecoder().decode(bytes)
}
