import type { AvailableCommand, PromptResponse } from '@agentclientprotocol/sdk'
import { describeNotes } from '../../agent/context/describe-notes.ts'
import { writeInitPrompt } from '../../agent/context/init-prompt.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { countOf } from '../../schema/problem.ts'
import type { EditorSession } from './editor-session.ts'
import { confirmRevert } from './questions/confirm-revert.ts'
import { literal } from './questions/verbatim.ts'

interface SlashCommand {
  readonly says: string
  readonly hint?: string
  readonly run: (
    rest: string,
    session: EditorSession,
    signal: AbortSignal,
  ) => Promise<PromptResponse | string>
}

/** The commands of ours that a prompt may begin with. */
const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  compact: {
    says: 'Shorten older results and summarize older messages; the log keeps everything',
    hint: 'what matters',
    run: async (rest, session, signal) => {
      const conversation = await session.requireConversation()
      const report = await conversation.compact(rest === '' ? undefined : rest, { signal })
      await session.showUsage()
      return report.ok
        ? `Compacted from ${report.before} to ${report.after} tokens.`
        : literal(report.message)
    },
  },
  context: {
    says: 'Show how full the context window is, and which notes the model is given',
    run: async (_rest, session) => {
      const context = (await session.requireConversation()).context()
      const size = context.context_tokens ?? context.assumed_tokens
      const used = `${context.used_tokens} ${size === null ? '' : `of ${size} `}tokens`
      return `${literal(context.model)}: ${used}, ${countOf(context.messages, 'message')}.\nNotes: ${literal(describeNotes(context.notes))}.`
    },
  },
  init: {
    says: 'Write or improve AGENTS.md, the notes about this project for agents',
    hint: 'what matters',
    run: async (rest, session, signal) =>
      session.runTurn(writeInitPrompt(await session.source.project(), rest), { signal }),
  },
  undo: {
    says: 'Take back the newest change of this session; lists the files first',
    hint: '--turn, --last N, or CALL',
    run: (rest, session, signal) => confirmRevert('undo', rest, session, signal),
  },
  redo: {
    says: 'Bring back what the last undo took back; lists the files first',
    run: (rest, session, signal) => confirmRevert('redo', rest, session, signal),
  },
  pending: {
    says: 'Ask again about calls that wait for approval',
    run: async (_rest, session, signal) => {
      const waiting = await session.pending()
      if (waiting.length === 0) return 'Nothing is waiting for approval.'
      const { askAgain } = await import('./questions/ask-again.ts')
      return (await askAgain(session, waiting, signal)) ?? { stopReason: 'end_turn' }
    },
  },
  recover: {
    says: 'Decide about a turn that was interrupted',
    run: async (_rest, session, signal) => {
      await session.requireConversation()
      const { askRecovery } = await import('./questions/ask-recovery.ts')
      const found = (await session.conversation?.recovery()) ?? null
      if (found === null) return 'Nothing was interrupted.'
      return (await askRecovery(session, signal))
        ? 'Decided; send /continue to go on.'
        : { stopReason: 'end_turn' }
    },
  },
  continue: {
    says: 'Go on with an unfinished turn',
    run: (_rest, session, signal) => session.runTurn(null, { signal }),
  },
  why: {
    says: 'Explain which gate decided a call, and why',
    hint: 'CALL',
    run: async (rest, session) => {
      const found = rest === '' ? [] : session.runtime.why(rest)
      if (found.length === 0) return 'Give the id of a call, or the beginning of one.'
      return found
        .map(({ name, verdict, gate, gates }) =>
          [
            `${literal(showPath(name))}: ${verdict} by ${gate}`,
            ...gates.map((one) => `- ${one.gate}: ${literal(one.fact)}`),
          ].join('\n'),
        )
        .join('\n\n')
    },
  },
}

/** The same, as a client lists them. */
export const AVAILABLE_COMMANDS: readonly AvailableCommand[] = Object.entries(COMMANDS).map(
  ([name, { says, hint }]) => ({
    name,
    description: says,
    ...(hint === undefined ? {} : { input: { hint } }),
  }),
)

/** Runs the command that a prompt begins with; null if it begins with none of ours. */
export async function runCommand(
  text: string,
  session: EditorSession,
  signal: AbortSignal,
): Promise<PromptResponse | null> {
  const [, name = '', rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) return null
  const said = await command.run(rest.trim(), session, signal)
  if (typeof said !== 'string') return said
  await session.client.update({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: said },
  })
  return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' }
}
