import type { PermissionOption } from '@agentclientprotocol/sdk'
import type { Recovery } from '../../../agent/conversation.ts'
import { takeBackDiscarded } from '../../../agent/sessions/interrupted-edits.ts'
import type { RecoveryChoice } from '../../../pipeline/after/recover.ts'
import type { EditorSession } from '../editor-session.ts'
import { oneLine } from '../../../terminal/one-line.ts'
import { spellOut } from '../../../terminal/spell-out.ts'
import { askChoice } from './ask-choice.ts'
import { verbatim } from './verbatim.ts'

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'resume', name: 'Keep what has finished, and go on', kind: 'allow_once' },
  { optionId: 'discard', name: 'Discard it', kind: 'reject_once' },
]

/** Asks what to do about an interrupted turn, if there is one; false if that stays undecided. */
export async function askRecovery(session: EditorSession, signal: AbortSignal): Promise<boolean> {
  const found = (await session.conversation?.recovery()) ?? null
  if (found === null) return true
  const choice = await ask(session, found, signal)
  if (choice === null) {
    await session.client.notice(
      'warning',
      'An interruption is still undecided; send /recover to be asked again.',
    )
    return false
  }
  await recover(session, choice)
  return true
}

/** Resolves an interruption; returns what was interrupted, or null. */
export async function recover(session: EditorSession, choice: RecoveryChoice): Promise<Recovery | null> {
  const conversation = await session.requireConversation()
  const found = await conversation[choice]()
  const edits = found?.edits ?? null
  const fault = await takeBackDiscarded(session.runtime, session.id, choice, edits)
  if (fault !== null) await session.client.notice('error', fault)
  return found
}

async function ask(
  session: EditorSession,
  { calls, edits }: Recovery,
  signal: AbortSignal,
): Promise<RecoveryChoice | null> {
  const rows = [
    ...calls.map(({ name, status, evidence }) => `${name}: ${status} (${evidence})`),
    ...(edits === null ? [] : [edits.says]),
  ]
  const text = verbatim(rows.map((row) => spellOut(oneLine(row))))
  const [first] = calls
  const chosen = await askChoice(session, signal, {
    id: `recovery-${first?.execution ?? session.id}`,
    title: 'An earlier turn of this session was interrupted',
    text,
    options: OPTIONS,
    facts: { interrupted: { calls, edits } },
  })
  return chosen === 'resume' || chosen === 'discard' ? chosen : null
}
