import type { Editor } from '@earendil-works/pi-tui'
import { listMessages } from '../../../agent/sessions/fork-session.ts'
import type { SetupDialogs } from '../../../setup/setup-dialogs.ts'
import { typedBefore } from '../app-state.ts'
import type { AppState } from '../app-state.ts'
import { readTypedCall, writeTypedCall } from './typed-call.ts'

/** A new session knows nothing of its own, so the last ones are searched too. */
const SESSIONS = 20
const LINES = 1_000

/** What was typed in this session and in the last others of the folder, newest first, each once. */
export function listTyped(state: Pick<AppState, 'session' | 'typed'>): readonly string[] {
  const { runtime, request } = state.session
  const others = runtime
    .counts({ most: SESSIONS + 1 })
    .filter(({ name }) => name !== request.session)
    .slice(0, SESSIONS)
  // A typed call is in the session too, with its arguments as JSON.
  const tools = runtime.definitions()
  const calls = new Set(
    state.typed.flatMap((line) => {
      const read = readTypedCall(line, tools)
      return read.is === 'call' ? [writeTypedCall(read)] : []
    }),
  )
  const own = [...typedBefore(state).filter((line) => !calls.has(line)), ...state.typed]
  const said = others.flatMap(({ name }) =>
    listMessages(runtime.peek(name))
      .filter(({ role }) => role === 'user')
      .map(({ text }) => text)
      .toReversed(),
  )
  return [...new Set([...own.toReversed(), ...said])].filter((line) => line.trim() !== '').slice(0, LINES)
}

/** Lets the user find a line, and puts it into the editor. */
export async function takeLine(
  lines: readonly string[],
  choose: SetupDialogs['choose'],
  editor: Pick<Editor, 'setText'>,
): Promise<void> {
  const choices = lines.map((line) => ({ label: line, value: line }))
  const chosen = await choose({
    title: 'Typed before, newest first',
    choices,
    enter: 'puts it into the line',
    isExpected: true,
  })
  if (chosen !== null) editor.setText(chosen)
}
