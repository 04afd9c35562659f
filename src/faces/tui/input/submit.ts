import type { AppState } from '../app-state.ts'
import type { AppPowers } from '../commands/app-command.ts'
import { expandLine } from '../../../runtime/commands/expand-command.ts'
import type { ExpandedLine } from '../../../runtime/commands/expand-command.ts'
import type { AppSession } from '../app-session.ts'
import { beginsWithFile, findNamedFiles } from '../../../core/attachment/named-files.ts'
import { isAppCommand, runCommand } from '../commands/command-list.ts'
import { explainThrown } from '../explain-thrown.ts'
import { readOwnCommand, readTypedCall } from './typed-call.ts'
import type { TypedLine } from './typed-call.ts'

/** Stores typed lines. */
export interface LineMemory {
  readonly addToHistory: (text: string) => void
}

/** Takes typed lines. */
export interface Submit {
  (text: string): Promise<void>
  /** Keeps a line until the current work has ended, instead of telling the model at once. */
  readonly later: (text: string) => Promise<void>
}

/** Creates the handler of typed lines: a command, a call, or a prompt. */
export function createSubmit(state: AppState, app: AppPowers, memory: LineMemory): Submit {
  async function take(text: string): Promise<void> {
    const { session } = state
    const own = readSlash(text, session)
    if (own?.is === 'other') return runCommand(text, app)
    if (own?.is === 'unusable') {
      session.say('trouble', `${own.why}.`)
      return
    }
    const prompt = own?.text ?? text
    const command = own === null ? readOwnCommand(text) : null
    if (session.isBusy()) {
      if (command === null && session.steer(prompt)) return
      state.queue = [...state.queue, text]
      session.say('plain', 'Queued; it runs when the current work has ended.')
      return
    }
    if (state.isUndecided && (await app.decideInterruption()) === false) return
    // A file holds words for the model: it never makes a call in the name of the user.
    const typed = command ?? (own === null ? readTypedCall(text, session.runtime.definitions()) : WORDS)
    if (typed.is === 'broken') session.say('trouble', typed.why)
    else if (typed.is === 'call' && (session.conversation === null || hasArguments(typed.args)))
      await session.runCall(typed.name, typed.args)
    else if (session.conversation !== null) await session.send(withFiles(prompt))
    else if (await app.setUp(prompt)) await state.session.send(withFiles(prompt))
  }

  async function takeAll(text: string): Promise<void> {
    try {
      const settling = app.settling()
      if (settling !== null && text !== '/quit') await settling
      if (isAppCommand(text) && text !== '/quit' && isEnding(state.session)) await state.session.idle()
      await take(text)
      await takeQueued()
    } catch (thrown) {
      state.session.say('trouble', explainThrown(thrown))
    }
  }

  async function takeQueued(): Promise<void> {
    const [next, ...rest] = state.queue
    if (next === undefined || state.session.isBusy() || state.isQuitting) return
    state.queue = rest
    await takeAll(next)
  }

  const submit = async (text: string): Promise<void> => {
    const line = text.trim()
    const { offer } = state
    if (line === '' && offer === null) return
    state.offer = null
    if (offer !== null && line === '') {
      await app.reopen(() => ({ session: offer.session }))
      return
    }
    memory.addToHistory(text)
    await takeAll(line)
  }
  const later = async (text: string): Promise<void> => {
    memory.addToHistory(text)
    state.queue = [...state.queue, text.trim()]
    await state.session.idle()
    await takeQueued()
  }
  return Object.assign(submit, { later })
}

/** Whether all that was begun has its result, and only the end of the work is not noted yet. */
function isEnding(session: AppSession): boolean {
  const { turn, blocks } = session.view()
  const last = blocks.findLast(({ kind }) => kind !== 'notice')
  return session.isBusy() && turn === null && last?.kind === 'call' && last.result !== null
}

const WORDS: TypedLine = { is: 'words' }

const OTHER: ExpandedLine = { is: 'other' }

/** What a line with a slash means, `other` if it is for the app; null if it has no slash. */
function readSlash(text: string, session: AppSession): ExpandedLine | null {
  if (!text.startsWith('/') || beginsWithFile(text)) return null
  return isAppCommand(text) ? OTHER : expandLine(text, session.ownCommands())
}

function hasArguments(args: object): boolean {
  return Object.keys(args).length > 0
}

/**
 * Removes the @ of completed paths; the model reads the files itself, under the usual rules. Pictures and documents keep
 * it, because they are attached.
 */
function withFiles(text: string): string {
  return text.replaceAll(/(^|\s)@(?=[^\s@])("[^"\n]*"|\S*)/g, (word, before: string, name: string) =>
    findNamedFiles(word).length > 0 ? word : `${before}${name}`,
  )
}
