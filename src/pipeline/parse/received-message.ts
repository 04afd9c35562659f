import { describeProblem, scanJsonText } from '../../core/json/scan.ts'
import type { StreamedEntry } from '../../journal/entries/conversation-entry.ts'
import type { BatchEntry, Entry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { describeCalls } from './parse.ts'
import type { Engine } from '../engine.ts'
import { receive } from './receive.ts'

/** The calls of a message that was received completely, but whose batch was never started. */
export interface ReceivedMessage {
  /** The place of its first call in the log. */
  readonly seq: number
  readonly turn: string
  readonly calls: readonly StreamedEntry[]
}

const text = new TextDecoder()

/** The calls of the newest message of a conversation, if its process ended before they became a batch. */
export function findReceived(log: SessionLog): ReceivedMessage | null {
  const [newest] = log.newestFirst('streamed')
  if (newest === undefined) return null
  // In most sessions the batch follows at once, and nothing else is read.
  for (const { entry } of log.entries(newest.seq + 1)) if (endsMessage(entry)) return null
  const calls: StreamedEntry[] = []
  let first = newest.seq
  for (const { entry, seq } of log.newestFirst()) {
    if (entry.kind === 'streamed') {
      calls.push(entry)
      first = seq
    }
    if (endsMessage(entry)) break
  }
  const [last] = calls
  return last === undefined ? null : { seq: first, turn: last.turn, calls: calls.toReversed() }
}

/** Whether an entry means that the calls streamed before it have become a batch or were given up. */
function endsMessage(entry: Entry): boolean {
  if (entry.kind === 'batch') return entry.origin === 'model'
  return entry.kind === 'voided' || (entry.kind === 'said' && entry.role !== 'assistant')
}

/** The batch that such a message would have become, known by its first call. */
export function adoptMessage(
  { turn, calls }: ReceivedMessage,
  log: SessionLog,
  engine: Pick<Engine, 'digest' | 'registry'>,
): { readonly entry: BatchEntry; readonly payloads: Iterable<readonly [string, string]> } {
  const received = calls.map(({ execution, id, name, args }) =>
    receive({ id, name, ...readArguments(log.payload(args)) }, execution, engine.digest),
  )
  const { declared, payloads } = describeCalls(received, engine.registry)
  const batch = calls[0]?.execution ?? ''
  return {
    entry: { kind: 'batch', batch, turn, origin: 'model', actor: null, calls: declared },
    payloads,
  }
}

function readArguments(bytes: Uint8Array | null) {
  const scan = scanJsonText(bytes === null ? '{}' : text.decode(bytes) || '{}')
  return scan.ok
    ? { args: scan.value, problems: scan.problems.map(describeProblem) }
    : { args: {}, problems: [`the arguments are not valid JSON: ${scan.message}`] }
}
