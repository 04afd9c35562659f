import { describeCut, describeMissing, describeUnknownWindow } from '../../../agent/events.ts'
import type { ConversationEvent } from '../../../agent/events.ts'
import type { LiveEvent } from '../../../pipeline/engine.ts'
import { appendOutput } from './output-tail.ts'
import { addBlock, replaceCall } from './view.ts'
import type { Block, CallBlock, Tone, View } from './view.ts'

/** Live events, which are not in the log, or not yet. */
export type NowEvent = LiveEvent | ConversationEvent

/** How much of a streaming answer is kept. */
const SPEAKING_CHARS = 400_000

/** Why a turn stopped early. */
const STOPPED: Readonly<Record<string, string>> = {
  budget:
    'Stopped: the budget of the turn is used up. Say how to continue; the next turn has its own budget.',
  max_iterations:
    'Stopped: the model has used all its tool rounds for this turn. Say how to continue; the next turn starts a new count.',
}

/** The view after a live event. */
export function foldLive(view: View, event: NowEvent, at: number, outputLines: number): View {
  switch (event.event) {
    case 'turn':
      return { ...view, turn: event.turn, speaking: '' }
    case 'text':
      return { ...view, speaking: (view.speaking + event.text).slice(-SPEAKING_CHARS) }
    case 'state':
    case 'progress':
      if (event.state !== 'EXECUTING' || !('execution' in event)) return view
      return replaceCall(view, isOpen(event.execution, event.id), (call) => ({
        ...call,
        progress: 'running',
        startedAt: call.startedAt ?? at,
      }))
    case 'output':
      return replaceCall(view, isOpen('execution' in event ? event.execution : null, event.id), (call) => ({
        ...call,
        progress: 'running',
        startedAt: call.startedAt ?? at,
        tail: appendOutput(call.tail, event.chunk, outputLines),
      }))
    case 'landing':
      return replaceCall(view, isOpen(event.execution, event.id), (call) => ({
        ...call,
        progress: 'running',
        landing: { done: event.done, total: event.total },
      }))
    case 'done': {
      const ended = { ...view, turn: null, speaking: '' }
      const why = event.cut === undefined ? STOPPED[event.stop] : `Stopped: ${describeCut(event.cut)}.`
      // A cancelled call says so itself; an answer that ends in the middle does not.
      const isCutShort = event.stop === 'cancelled' && view.blocks.at(-1)?.kind !== 'call'
      const noted = isCutShort ? addNotice(ended, 'plain', 'Cancelled by you.') : ended
      const told = why === undefined ? noted : addNotice(noted, 'trouble', why)
      const { missing } = event
      return missing.length === 0
        ? told
        : addNotice(told, 'trouble', `Not done: ${describeMissing(missing)}.`)
    }
    case 'error':
      return addNotice({ ...view, turn: null, speaking: '' }, 'trouble', event.message)
    case 'retry':
      return addNotice(
        event.is_void ? { ...view, speaking: '' } : view,
        'plain',
        `${event.message} Retrying in ${(event.delay_ms / 1000).toFixed(1)} s.`,
      )
    case 'unknown_window':
      return addNotice(view, 'plain', describeUnknownWindow(event.model, event.assumed_tokens))
    case 'shrunk':
    case 'reasoning':
    case 'steered':
    case 'call':
    case 'approval':
    case 'result':
    case 'recovered':
      return view
  }
}

/** Marks calls that another process left without a result. */
export function markInterrupted(view: View, executions: ReadonlySet<string>): View {
  const blocks = view.blocks.map((block): Block => {
    const isMeant = block.kind === 'call' && block.result === null && executions.has(block.key)
    return isMeant ? { ...block, progress: 'interrupted' } : block
  })
  return { ...view, blocks }
}

/** Adds a notice of the app. */
export function addNotice(view: View, tone: Tone, text: string): View {
  return addBlock(view, { kind: 'notice', tone, text })
}

/** Matches an open call by its execution, or without one by its id. */
function isOpen(execution: string | null, id: string): (call: CallBlock) => boolean {
  return (call) => call.result === null && (execution === null ? call.id === id : call.key === execution)
}
