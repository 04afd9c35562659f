import { USUAL_SESSION } from '../../../config/fixed-values.ts'
import type { Conversation } from '../../../agent/conversation.ts'
import { isTurnEvent } from '../../../agent/events.ts'
import { isToolLine, NOTHING_HELD, readToolLine } from '../../../agent/loop/held-calls.ts'
import { openConversation } from '../../../agent/open-conversation.ts'
import type { ModelClient } from '../../../model/model-client.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ParsedLine } from '../arguments.ts'
import { askHowToRecover } from '../prompts/ask-recovery.ts'
import { chooseModel, describeModel } from '../choose-model.ts'
import { findConversation } from '../find-conversation.ts'
import { introduce } from '../introduce.ts'
import { openRuntime } from '../open.ts'
import { readPrompt } from '../read-prompt.ts'
import { createTurnView } from '../show-turn.ts'
import { stopBatchOnSignals } from '../signals.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { NothingNamed, UsageError } from '../trouble.ts'
import { readTurnOptions } from '../turn-options.ts'

const VOID = ', and what was said of this message does not count'
const EXITS = { end: 0, cancelled: 130, max_iterations: 1, approval_pending: 4, held: 4, budget: 1 } as const
const SAY_OTHERWISE = 'put a word before it if it was meant for the model'

/** `tongs run [PROMPT]`: one user turn with a model, without a screen. */
export async function run(line: ParsedLine, terminal: Terminal): Promise<number> {
  const wish = readWish(line)
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopBatchOnSignals(stop, terminal)
  try {
    const { session, model } = await chooseConversation(line, runtime, terminal)
    const { limits, protocol } = wish
    const dryRun = line.has('--dry-run')
    const conversation = await openConversation({ runtime, model, session, protocol, dryRun, ...limits })
    if (!line.has('--json') && conversation.context().messages === 0)
      terminal.complain(safe(`tongs: ${await introduce(model.id, runtime.configuration.settings)}`))
    for (const sentence of conversation.damage()) terminal.complain(safe(`tongs: ${sentence}`))
    const prompt = await prepare(wish.prompt, conversation, line, terminal)
    return prompt === 'stop' ? 1 : await follow(conversation, prompt, runtime, line, terminal, stop.signal)
  } finally {
    release()
    await runtime.close()
  }
}

async function chooseConversation(
  line: ParsedLine,
  runtime: Runtime,
  terminal: Terminal,
): Promise<{ readonly session: string; readonly model: ModelClient }> {
  const named = line.value('--session')
  const found = line.has('--continue') ? findConversation(runtime, named) : null
  const session = named ?? found?.session ?? USUAL_SESSION
  const model = await chooseModel(line, found?.partner ?? null)
  if (found !== null && !line.has('--json'))
    terminal.complain(safe(`tongs: going on in session ${session} with ${describeModel(model)}`))
  return { session, model }
}

/** Deals with what was interrupted and takes a supplied result; what is left is the prompt. */
async function prepare(
  prompt: string | null,
  conversation: Conversation,
  line: ParsedLine,
  terminal: Terminal,
): Promise<string | null | 'stop'> {
  const recovery = conversation.state() === 'interrupted' ? await conversation.recovery() : null
  const choice = recovery === null ? null : await askHowToRecover(recovery, line)
  if (choice !== null) await conversation[choice]()
  if (prompt === null || !isToolLine(prompt)) return prompt
  if (conversation.held().length === 0) throw new NothingNamed(NOTHING_HELD.replace(/\.$/, ''), SAY_OTHERWISE)
  const supplied = readToolLine(prompt)
  if (supplied === null)
    throw new UsageError('/tool names no call', 'write /tool ID RESULT, or /tool error ID TEXT')
  const report = conversation.answerTool(supplied.id, supplied.answer)
  if (!report.ok) {
    terminal.complain(safe(`tongs: ${report.message}`))
    return 'stop'
  }
  terminal.complain(`tongs: ${report.received} of ${report.expected} results are in`)
  return null
}

async function follow(
  conversation: Conversation,
  prompt: string | null,
  runtime: Runtime,
  line: ParsedLine,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const show = createTurnView(runtime, conversation.session, terminal)
  let exit = 1
  for await (const event of conversation.watch(prompt, { signal })) {
    if (event.event === 'retry')
      terminal.complain(
        safe(
          `tongs: asking again in ${Math.ceil(event.delay_ms / 1000)} s${event.is_void ? VOID : ''}: ${event.message}`,
        ),
      )
    if (!isTurnEvent(event)) continue
    if (line.has('--json')) terminal.json(event)
    else show(event)
    if (event.event === 'done') exit = EXITS[event.stop]
  }
  return exit
}

function readWish(line: ParsedLine) {
  return { prompt: readPrompt(line), ...readTurnOptions(line) }
}
