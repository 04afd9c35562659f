import type { Conversation } from '../../../agent/conversation.ts'
import { describeMissing, describeShrunk, describeUnknownWindow, isTurnEvent } from '../../../agent/events.ts'
import { isToolLine, NOTHING_HELD, readToolLine } from '../../../agent/loop/held-calls.ts'
import { takeBackDiscarded } from '../../../agent/sessions/interrupted-edits.ts'
import { openRoleModels } from '../../../agent/delegate/open-role-model.ts'
import { openConversation } from '../../../agent/open-conversation.ts'
import { JournalError } from '../../../journal/journal-error.ts'
import { ModelError } from '../../../model/model-client.ts'
import { expandLine } from '../../../runtime/commands/expand-command.ts'
import { findCommands } from '../../../runtime/commands/find-commands.ts'
import { readInit, writeInitPrompt } from '../../../agent/context/init-prompt.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ParsedLine } from '../arguments.ts'
import { askHowToRecover } from '../prompts/short-questions.ts'
import { chooseSession, openChosen } from '../choose-conversation.ts'
import { closeRuntime, findFolders, NO_PRESET, openRuntime, reopenRuntime } from '../open.ts'
import { createTurnView } from '../show-turn.ts'
import { stopBatchOnSignals } from '../signals.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { NotFoundError, UsageError } from '../errors.ts'
import { readTurnOptions } from '../turn-options.ts'
import type { Settings } from '../../../config/keys.ts'
import { findShellConfinement } from '../../../runtime/shell/shell-confinement.ts'
import { readStdin } from '../stdin.ts'

const VOID = ', discarding the partial message'
const EXITS = { end: 0, cancelled: 130, max_iterations: 1, approval_pending: 4, held: 4, budget: 1 } as const
const SAY_OTHERWISE = 'put a word before it if it was meant for the model'

/** `tongs run [PROMPT]`: one user turn with a model, without a screen. */
export async function run(line: ParsedLine, terminal: Terminal): Promise<number> {
  const options = readRunOptions(line)
  let runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopBatchOnSignals(stop, terminal)
  try {
    const chosen = await chooseSession(line, runtime)
    const given = line.value('--preset')
    const own = given !== undefined || chosen === null ? null : runtime.goOnWith(chosen)
    const preset = given === NO_PRESET ? null : (given ?? own?.preset ?? null)
    if (own !== null && own.doubt !== null) terminal.warn(safe(`tongs: ${own.doubt}`))
    if (preset !== null && given === undefined) {
      await runtime.close()
      runtime = await reopenRuntime(line, terminal, preset)
    }
    const { session, model } = await openChosen(chosen, line, runtime, terminal, stop.signal)
    const { limits, protocol } = options
    const dryRun = line.has('--dry-run')
    const openRoleModel = openRoleModels(runtime, process.env)
    const conversation = await openConversation({
      runtime,
      model,
      session,
      protocol,
      dryRun,
      openRoleModel,
      ...limits,
    })
    if (!line.has('--json') && conversation.context().messages === 0)
      terminal.warn(`tongs: ${await introduce(model.id, runtime.configuration.settings, findFolders(line))}`)
    const source = await runtime.converse(session)
    if (own?.isFallback !== true) source.noteOpened('run', preset)
    for (const sentence of conversation.damage()) terminal.warn(`tongs: ${sentence}`)
    const prompt = await prepare(options.prompt, { conversation, runtime, line, terminal })
    return prompt === 'stop'
      ? 1
      : await follow(prompt, { conversation, runtime, line, terminal, signal: stop.signal })
  } catch (thrown) {
    // A program that reads the events learns from them why there is no turn.
    if (thrown instanceof JournalError && line.has('--json'))
      terminal.json({ event: 'error', code: thrown.code, message: thrown.message })
    if (!(thrown instanceof ModelError && stop.signal.aborted)) throw thrown
    terminal.warn(`tongs: ${thrown.message}`)
    return EXITS.cancelled
  } finally {
    release()
    await closeRuntime(runtime, terminal)
  }
}

/** Resolves an interruption and takes a supplied result; returns the prompt. */
async function prepare(
  prompt: string | null,
  { conversation, runtime, line, terminal }: Omit<FollowOptions, 'signal'>,
): Promise<string | null | 'stop'> {
  const recovery = conversation.state() === 'interrupted' ? await conversation.recovery() : null
  const choice = recovery === null ? null : await askHowToRecover(recovery, line)
  if (choice !== null && recovery !== null) {
    await conversation[choice]()
    const fault = await takeBackDiscarded(runtime, conversation.session, choice, recovery.edits)
    if (fault !== null) terminal.warn(`tongs: ${fault}`)
  }
  if (prompt === null || !isToolLine(prompt))
    return prompt === null ? null : expand(prompt, { conversation, runtime, line, terminal })
  if (conversation.held().length === 0)
    throw new NotFoundError(NOTHING_HELD.replace(/\.$/, ''), SAY_OTHERWISE)
  const supplied = readToolLine(prompt)
  if (supplied === null)
    throw new UsageError('/tool names no call', 'write /tool ID RESULT, or /tool error ID TEXT')
  const report = conversation.answerTool(supplied.id, supplied.answer)
  if (!report.ok) {
    terminal.warn(`tongs: ${report.message}`)
    return 'stop'
  }
  terminal.warn(`tongs: ${report.received} of ${report.expected} results received`)
  return null
}

/** The prompt of `/init` or of a command that is a file, if the prompt names one; text from stdin is always taken as it is. */
async function expand(
  prompt: string,
  { conversation, runtime, line, terminal }: Omit<FollowOptions, 'signal'>,
): Promise<string> {
  if (!prompt.startsWith('/') || line.words[0] === '-') return prompt
  const words = readInit(prompt)
  if (words !== null)
    return writeInitPrompt(await (await runtime.converse(conversation.session)).project(), words)
  const own = expandLine(prompt, findCommands({ ...findFolders(line), env: process.env }))
  if (own.is === 'prompt') return own.text
  if (own.is === 'unusable') terminal.warn(safe(`tongs: sent as it is: ${own.why}`))
  return prompt
}

interface FollowOptions {
  readonly runtime: Runtime
  readonly conversation: Conversation
  readonly line: ParsedLine
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

async function follow(
  prompt: string | null,
  { conversation, line, terminal, signal }: FollowOptions,
): Promise<number> {
  const show = createTurnView(conversation.session, terminal)
  let exit = 1
  for await (const event of conversation.watch(prompt, { signal })) {
    if (event.event === 'retry')
      terminal.warn(
        `tongs: retrying in ${Math.ceil(event.delay_ms / 1000)} s${event.is_void ? VOID : ''}: ${event.message}`,
      )
    if (event.event === 'shrunk')
      terminal.warn(`tongs: ${describeShrunk({ ...event, hasSummary: event.messages > 0 })}`)
    if (event.event === 'unknown_window')
      terminal.warn(safe(`tongs: ${describeUnknownWindow(event.model, event.assumed_tokens)}`))
    if (!isTurnEvent(event)) continue
    if (line.has('--json')) terminal.json(event)
    else show(event)
    if (event.event !== 'done') continue
    const { stop, missing } = event
    exit = missing.length > 0 && stop === 'end' ? 1 : EXITS[stop]
    if (missing.length > 0) terminal.warn(`tongs: ${describeMissing(missing)}`)
  }
  return exit
}

function readRunOptions(line: ParsedLine) {
  return { prompt: readPrompt(line), ...readTurnOptions(line) }
}

/** Shown before the first turn: the model, what may happen, and the command sandbox. */
async function introduce(
  model: string,
  settings: Settings,
  { root, stateDir }: ReturnType<typeof findFolders>,
): Promise<string> {
  const { 'tools.mode': mode, 'tools.approval.mode': approval } = settings
  const rung = await findShellConfinement(settings, { roots: [root], stateDir })
  const commands = rung.holds ? `commands are ${rung.label}` : `commands do not run: ${rung.reason}`
  return `${model}; tools are ${mode}, approval is ${approval}; ${commands}`
}

/** The prompt of `run`; null continues without one. */
function readPrompt(line: ParsedLine): string | null {
  const [word] = line.words
  if (word === undefined && line.has('--continue')) return null
  const prompt = word === '-' ? readStdin('the prompt').replace(/\r?\n$/, '') : (word ?? '')
  if (prompt.trim() === '')
    throw new UsageError('run needs a prompt', 'give a prompt, - to read it from stdin, or --continue')
  return prompt
}
