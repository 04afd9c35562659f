import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import { isToolLine, readToolLine } from '../../agent/loop/held-calls.ts'
import type { ExpandedLine } from '../../runtime/commands/expand-command.ts'
import { attachmentLimits } from '../../config/keys/attachment-limits.ts'
import { readPrompt } from '../../wire/acp/prompt-text.ts'
import type { EditorSession } from './editor-session.ts'
import { invalid } from './explain-error.ts'
import { askAgain } from './questions/ask-again.ts'
import { settleServers } from './questions/ask-servers.ts'
import { askRecovery } from './questions/ask-recovery.ts'
import { AVAILABLE_COMMANDS, runCommand } from './slash-commands.ts'

/** Answers a prompt: a command of ours, or a turn of the model. What was left open before is settled first. */
export function answerPrompt(
  session: EditorSession,
  blocks: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<PromptResponse> {
  return session.exclusively(async (stop) => {
    const { settings } = session.runtime.configuration
    const { text, unseen, attached } = readPrompt(blocks, attachmentLimits(settings))
    if (text === '') throw invalid('The prompt is empty.')
    await session.commands.show(AVAILABLE_COMMANDS)
    // Only what was typed is a command: a file that is attached holds words.
    const isTyped = blocks.find((block) => block.type !== 'text' || block.text.trim() !== '')?.type === 'text'
    const command = isTyped ? await runCommand(text, session, stop.signal) : null
    if (command !== null) return command
    const isResult = isTyped && isToolLine(text)
    const own: ExpandedLine = isTyped && !isResult ? session.commands.expand(text) : { is: 'other' }
    if (own.is === 'unusable') {
      await session.client.notice('warning', `Nothing was sent: ${own.why}.`)
      return { stopReason: 'end_turn' }
    }
    for (const sentence of unseen) await session.client.notice('warning', sentence)
    const conversation = await session.requireConversation()
    if (attached.length > 0 && conversation.takes().length === 0)
      await session.client.notice('warning', TEXT_ONLY)
    if (isResult) return supplyResult(text, session, stop.signal)
    await settleServers(session, stop.signal)
    const unsettled = await settleOpen(session, stop.signal)
    return (
      unsettled ?? session.runTurn(own.is === 'prompt' ? own.text : text, { signal: stop.signal, attached })
    )
  }, signal)
}

const TEXT_ONLY =
  'The model is given text only, so it is told about what you attached and does not see it. If it takes pictures, set model.attachments.'

/** Goes on with what is unfinished, after the questions about it. */
export function continueTurn(session: EditorSession, signal: AbortSignal): Promise<PromptResponse> {
  return session.exclusively(async (stop) => {
    const waiting = await session.pending()
    const unsettled = await settleOpen(session, stop.signal)
    // Answers to calls that waited have brought their turn to its end; there is nothing more to go on with.
    if (unsettled === null && waiting.length > 0) return { stopReason: 'end_turn' }
    return unsettled ?? session.runTurn(null, { signal: stop.signal })
  }, signal)
}

/** Settles an interruption and the questions that wait; returns how that ended unless the prompt can be sent. */
async function settleOpen(session: EditorSession, signal: AbortSignal): Promise<PromptResponse | null> {
  const isSettled = await askRecovery(session, signal)
  if (!isSettled) return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' }
  const waiting = await session.pending()
  return waiting.length === 0 ? null : askAgain(session, waiting, signal)
}

/** Takes a result that a person supplies for a held call. */
async function supplyResult(
  line: string,
  session: EditorSession,
  signal: AbortSignal,
): Promise<PromptResponse> {
  const conversation = await session.requireConversation()
  const supplied = readToolLine(line)
  if (supplied === null) throw invalid('Write /tool ID RESULT, or /tool error ID TEXT.')
  const report = conversation.answerTool(supplied.id, supplied.answer)
  if (!report.ok) {
    await session.client.notice('warning', report.message)
    return { stopReason: 'end_turn' }
  }
  return session.runTurn(null, { signal })
}
