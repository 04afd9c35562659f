import type { ErrorCode } from '../../../core/error.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import type { BatchEntry, Digest, FileChange, SettledEntry, StoredEntry } from '../../../journal/entry.ts'
import type { ModelMessage } from '../../../model/model-client.ts'
import { NO_OUTPUT } from './output-tail.ts'
import { addBlock, replaceCall } from './view.ts'
import type { Block, CallBlock, ShownChange, View } from './view.ts'

/** Reads a recorded content; null where it was erased. */
export type ReadPayload = (digest: Digest) => Uint8Array | null

/** Longer files are named, and their contents are not compared here. */
const MOST_BYTES = 256 * 1024

const strict = new TextDecoder('utf-8', { fatal: true })

/** Takes one entry of the session's log into the view. */
export function foldEntry(view: View, { seq, entry }: StoredEntry, read: ReadPayload): View {
  switch (entry.kind) {
    case 'said': {
      const message = readJson(entry.message, read) as ModelMessage | null
      const key = `said-${seq}`
      if (entry.role === 'user')
        return addBlock(view, { kind: 'said', key, turn: entry.turn, text: userText(message) })
      if (entry.role === 'tool') return view
      const text = assistantText(message)
      const heard = { ...view, speaking: '' }
      return text.trim() === '' ? heard : addAnswer(heard, { kind: 'answer', key, turn: entry.turn, text })
    }
    case 'streamed':
      return addBlock(view, {
        ...NEW_CALL,
        key: streamedKey(entry.turn, entry.id),
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
    case 'answered':
    case 'note':
    case 'forgotten':
    case 'drafted':
    case 'held':
    case 'condensed':
      return view
    case 'voided':
      return { ...view, speaking: '' }
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
        (call) => settle(call, entry, read),
      )
    case 'undo':
    case 'redo': {
      const calls = new Set(entry.calls)
      const marked = mapCalls(view, (call) =>
        calls.has(call.key) ? { ...call, isUndone: entry.kind === 'undo' } : call,
      )
      const { kind, execution, changes } = entry
      return addBlock(marked, { kind: 'reverted', key: execution, is: kind, changes })
    }
    case 'recovered': {
      const inDoubt = entry.calls.filter(({ status }) => status === 'in_doubt').length
      const { choice, calls } = entry
      return addBlock(view, {
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
  progress: 'pending',
  startedAt: null,
  durationMs: null,
  reason: null,
  result: null,
  changes: [],
  isUndone: false,
  tail: NO_OUTPUT,
} as const

/** What was said stands before the calls that came in with it. */
function addAnswer(view: View, answer: Extract<Block, { kind: 'answer' }>): View {
  const first = view.blocks.findIndex(
    (block) => block.kind === 'call' && block.key === streamedKey(answer.turn, block.id),
  )
  return first === -1 ? addBlock(view, answer) : { ...view, blocks: view.blocks.toSpliced(first, 0, answer) }
}

function streamedKey(turn: string, id: string): string {
  return `${turn}/${id}`
}

/** A batch takes the place of the calls that were seen while their message came in. */
function foldBatch(view: View, entry: BatchEntry, read: ReadPayload): View {
  const streamed = new Set(entry.calls.map(({ id }) => streamedKey(entry.turn, id)))
  const blocks = view.blocks.filter((block) => !(block.kind === 'call' && streamed.has(block.key)))
  const calls = entry.calls.map(({ execution, id, name, args }): CallBlock => ({
    ...NEW_CALL,
    key: execution,
    id,
    name,
    turn: entry.turn,
    origin: entry.origin,
    args: readObject(args, read),
  }))
  return { ...view, blocks: [...blocks, ...calls] }
}

function settle(call: CallBlock, entry: SettledEntry, read: ReadPayload): CallBlock {
  const result = readJson(entry.result, read) as ToolResult | null
  const hasRun = entry.moves.some(({ state }) => state === 'EXECUTING')
  const code = entry.error?.code ?? null
  return {
    ...call,
    progress: code === null ? 'done' : isHeld(code) ? 'held' : hasRun ? 'failed' : 'refused',
    durationMs: entry.durationMs,
    reason: result !== null && !result.ok ? result.error.message : code,
    result,
    changes: entry.changes.map((change) => showChange(change, read)),
    tail: NO_OUTPUT,
  }
}

function isHeld(code: ErrorCode): boolean {
  return code === 'held'
}

function showChange({ path, before, after }: FileChange, read: ReadPayload): ShownChange {
  const old = before === null ? null : readText(before.digest, read)
  const fresh = after === null ? null : readText(after.digest, read)
  return {
    path,
    is: before === null ? 'created' : after === null ? 'deleted' : 'modified',
    before: old,
    after: fresh,
    isShown: (before === null) === (old === null) && (after === null) === (fresh === null),
  }
}

function mapCalls(view: View, change: (call: CallBlock) => CallBlock): View {
  return { ...view, blocks: view.blocks.map((block) => (block.kind === 'call' ? change(block) : block)) }
}

function readText(digest: Digest, read: ReadPayload): string | null {
  const bytes = read(digest)
  if (bytes === null || bytes.length > MOST_BYTES || bytes.includes(0)) return null
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}

function readJson(digest: Digest, read: ReadPayload): unknown {
  const bytes = read(digest)
  if (bytes === null) return null
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return null
  }
}

function readObject(digest: Digest, read: ReadPayload): JsonObject | null {
  const value = readJson(digest, read)
  return isJsonObject(value) ? value : null
}

function userText(message: ModelMessage | null): string {
  return message?.role === 'user' ? message.text : '[this message was erased]'
}

function assistantText(message: ModelMessage | null): string {
  if (message?.role !== 'assistant') return '[this message was erased]'
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
