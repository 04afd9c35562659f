import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import { describeDamage } from '../../../journal/entries/damaged-entry.ts'
import { isAboutFile } from '../../../journal/folds/net-changes.ts'
import { readStored } from '../../../journal/folds/read-result.ts'
import type {
  BatchEntry,
  Digest,
  FileChange,
  RollBackRecord,
  SettledEntry,
  StoredEntry,
} from '../../../journal/entries/entry.ts'
import type { SaidEntry } from '../../../journal/entries/conversation-entry.ts'
import { recordedAction } from '../../../pipeline/after/revert-action.ts'
import { readUsage } from '../../../agent/loop/budget.ts'
import type { Usage } from '../../../agent/events.ts'
import { describeShrunk } from '../../../agent/events.ts'
import { ERASED, readParts, textOf, readJson } from '../../../agent/context/message-parts.ts'
import { readCopiedRows } from '../../../agent/log/copied-results.ts'
import { showChanges } from './show-changes.ts'
import type { ReadContent, ReadPayload } from './show-changes.ts'
import { NO_OUTPUT } from './output-tail.ts'
import { addBlock, callsOf, replaceCall } from './view.ts'
import type { Block, CallBlock, View } from './view.ts'

/** The view after one more log entry. */
export function foldEntry(
  view: View,
  { seq, entry }: StoredEntry,
  read: ReadPayload,
  contentOf: ReadContent = () => null,
): View {
  switch (entry.kind) {
    case 'said':
      return foldSaid(view, entry, `said-${seq}`, read)
    case 'streamed':
      return addBlock(view, {
        ...NEW_CALL,
        key: entry.execution,
        isStreamed: true,
        id: entry.id,
        name: entry.name,
        turn: entry.turn,
        origin: 'model',
        args: readObject(entry.args, read),
      })
    case 'batch':
      return foldBatch(view, entry, read)
    case 'asked': {
      const asked = new Set(entry.questions.map(({ execution }) => execution))
      return mapCalls(view, (call) => (asked.has(call.key) ? { ...call, progress: 'asked' } : call))
    }
    case 'note': {
      const damage = describeDamage(entry)
      if (damage !== null) return addBlock(view, { kind: 'notice', tone: 'trouble', text: damage })
      return entry.about === 'usage' ? addTokens(view, readUsage(entry.data)) : view
    }
    case 'drafted':
      return { ...view, drafted: view.drafted + textOf(readParts(read(entry.part)) ?? []) }
    case 'answered':
    case 'delegated':
    case 'landing':
    case 'forgotten':
    case 'opened':
    case 'titled':
      return view
    case 'condensed': {
      const text = describeShrunk({ ...entry, hasSummary: entry.summary !== null })
      return addBlock(view, { kind: 'notice', tone: 'plain', text })
    }
    case 'parked': {
      const parked = new Set(entry.executions)
      return mapCalls(view, (call) => (parked.has(call.key) ? { ...call, progress: 'asked' } : call))
    }
    case 'held': {
      const held = new Set(entry.executions)
      return mapCalls(view, (call) => (held.has(call.key) ? { ...call, progress: 'held' } : call))
    }
    case 'voided':
      return {
        ...view,
        speaking: '',
        drafted: '',
        blocks: view.blocks.filter((block) => !isComing(block, entry.turn)),
      }
    case 'continued':
      return mapCalls(view, (call) => (call.progress === 'asked' ? { ...call, progress: 'pending' } : call))
    case 'started':
      return replaceCall(
        view,
        ({ key, startedAt }) => key === entry.execution && startedAt === null,
        (call) => ({ ...call, progress: 'running' }),
      )
    case 'settled':
      return replaceCall(
        view,
        ({ key }) => key === entry.execution,
        (call) => settle(call, entry, read, contentOf),
      )
    case 'undo':
    case 'redo': {
      const inPart = new Set(entry.left?.map(({ call }) => call))
      const calls = new Set(entry.calls.filter((call) => entry.kind === 'redo' || !inPart.has(call)))
      const marked = mapCalls(view, (call) =>
        calls.has(call.key) ? { ...call, isUndone: entry.kind === 'undo' } : call,
      )
      const { kind, execution, changes, rollsBack, outside } = entry
      if (rollsBack !== undefined) return foldRollBack(marked, rollsBack, read)
      const undone = kind === 'undo' ? changesOf(view, new Set(entry.calls)) : []
      const show = (change: FileChange) => ({ path: change.path, action: recordedAction(change, undone) })
      return addBlock(marked, {
        kind: 'reverted',
        key: execution,
        is: kind,
        files: changes.filter(isAboutFile).map(show),
        folders: changes.filter((change) => !isAboutFile(change)).map(show),
        by: outside ?? null,
      })
    }
    case 'recovered': {
      const inDoubt = entry.calls.filter(({ status }) => status === 'in_doubt').length
      const { choice, calls } = entry
      return addBlock(breakOff(view, '', `broken-${seq}`), {
        kind: 'recovered',
        key: `recovered-${seq}`,
        choice,
        inDoubt,
        calls: calls.length,
      })
    }
  }
}

const NEW_CALL = {
  kind: 'call',
  isStreamed: false,
  progress: 'pending',
  startedAt: null,
  durationMs: null,
  reason: null,
  result: null,
  changes: [],
  isUndone: false,
  tail: NO_OUTPUT,
} as const

/** What some calls changed, oldest first. */
function changesOf(view: View, calls: ReadonlySet<string>): CallBlock['changes'] {
  return callsOf(view).flatMap(({ key, changes }) => (calls.has(key) ? changes : []))
}

/** A call that could not be put in place shows the result it has now, and so does its mark. */
function foldRollBack(
  view: View,
  { execution, why, result: digest }: RollBackRecord,
  read: ReadPayload,
): View {
  const result = digest === null ? null : (readJson(read(digest)) as ToolResult | null)
  const known = replaceCall(
    view,
    ({ key }) => key === execution && digest !== null,
    (call) => ({ ...call, progress: 'failed', reason: why, result: result ?? call.result }),
  )
  const text = `Taken back, all files are as before: ${why}`
  return addBlock(known, { kind: 'notice', tone: 'trouble', text })
}

/** Puts an answer before the calls of the same message. */
function addAnswer(view: View, answer: Extract<Block, { kind: 'answer' }>): View {
  const first = view.blocks.findIndex((block) => isComing(block, answer.turn))
  return first === -1 ? addBlock(view, answer) : { ...view, blocks: view.blocks.toSpliced(first, 0, answer) }
}

/** Whether a block is a call of a streaming message that is not in a batch yet. */
function isComing(block: Block, turn: string): boolean {
  return block.kind === 'call' && block.isStreamed && block.turn === turn && block.result === null
}

/** A batch replaces the calls that were shown while their message was streaming. */
function foldBatch(view: View, entry: BatchEntry, read: ReadPayload): View {
  const around = findDelegate(view, entry)
  const calls = entry.calls.map(({ execution, id, name, args }): CallBlock => ({
    ...NEW_CALL,
    key: execution,
    id,
    name,
    turn: entry.turn,
    origin: entry.origin,
    ...(around === null ? {} : { depth: around.depth }),
    args: readObject(args, read),
  }))
  if (around !== null) return { ...view, blocks: view.blocks.toSpliced(around.end, 0, ...calls) }
  return { ...view, blocks: [...view.blocks.filter((block) => !isComing(block, entry.turn)), ...calls] }
}

/** Where the calls of a delegated conversation stand: below the call that it belongs to, after its earlier ones. */
function findDelegate(
  { blocks }: View,
  { delegate }: BatchEntry,
): { readonly depth: number; readonly end: number } | null {
  const at = blocks.findLastIndex((block) => block.kind === 'call' && block.key === delegate)
  const call = blocks[at]
  if (delegate === undefined || call?.kind !== 'call') return null
  const own = call.depth ?? 0
  const isNested = (block: Block): boolean => block.kind === 'call' && (block.depth ?? 0) > own
  const next = blocks.findIndex((block, index) => index > at && !isNested(block))
  return { depth: own + 1, end: next === -1 ? blocks.length : next }
}

function settle(call: CallBlock, entry: SettledEntry, read: ReadPayload, contentOf: ReadContent): CallBlock {
  const result = readStored(entry, [{ execution: entry.execution, id: call.id }], read)
  const hasRun = entry.moves.some(({ state }) => state === 'EXECUTING')
  const code = entry.error?.code ?? null
  return {
    ...call,
    progress: code === null ? 'done' : hasRun ? 'failed' : 'refused',
    durationMs: entry.durationMs,
    reason: result !== null && !result.ok ? result.error.message : code,
    result,
    changes: showChanges(entry.changes, read, contentOf),
    tail: NO_OUTPUT,
  }
}

function addTokens(view: View, { input_tokens: input, output_tokens: output, cost }: Usage): View {
  const total = cost === null ? view.cost : (view.cost ?? 0) + cost
  return { ...view, tokens: view.tokens + input + output, cost: total }
}

function mapCalls(view: View, change: (call: CallBlock) => CallBlock): View {
  return { ...view, blocks: view.blocks.map((block) => (block.kind === 'call' ? change(block) : block)) }
}

function readObject(digest: Digest, read: ReadPayload): JsonObject | null {
  const value = readJson(read(digest))
  return isJsonObject(value) ? value : null
}

function foldSaid(view: View, said: SaidEntry, key: string, read: ReadPayload): View {
  const { role, turn, message, results } = said
  if (role === 'tool') return results === undefined ? view : addCopied(view, read(results), turn)
  if (role === 'user') {
    const bytes = read(message)
    const text = bytes === null ? ERASED : new TextDecoder().decode(bytes)
    return addBlock(breakOff(view, turn, `broken-${key}`), { kind: 'said', key, turn, text })
  }
  const parts = readParts(read(message))
  const text = parts === null ? ERASED : textOf(parts)
  const ended = { ...view, speaking: '', drafted: '' }
  return text.trim() === '' ? ended : addAnswer(ended, { kind: 'answer', key, turn, text })
}

/** Calls that were copied from another session, whose files are not this one's. */
function addCopied(view: View, bytes: Uint8Array | null, turn: string): View {
  const copied = readCopiedRows(bytes).map(({ result, args }): CallBlock => ({
    ...NEW_CALL,
    key: result.execution.id,
    id: result.id,
    name: result.name,
    turn,
    origin: 'model',
    args,
    progress: result.ok ? 'done' : 'failed',
    durationMs: result.execution.duration_ms,
    reason: result.ok ? null : result.error.message,
    result,
  }))
  return { ...view, blocks: [...view.blocks, ...copied] }
}

/** Shows what arrived of a message that will never be complete. */
function breakOff(view: View, turn: string, key: string): View {
  if (view.drafted.trim() === '') return { ...view, drafted: '' }
  const text = `${view.drafted}\n\n*(interrupted here)*`
  return addAnswer({ ...view, drafted: '' }, { kind: 'answer', key, turn, text })
}
