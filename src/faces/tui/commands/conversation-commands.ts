import { forkSession, listMessages } from '../../../agent/sessions/fork-session.ts'
import { listSessions } from '../../../agent/sessions/list-sessions.ts'
import { renameSession } from '../../../agent/sessions/rename-session.ts'
import { readWords } from '../../../agent/sessions/session-words.ts'
import { formatTitle } from '../../../agent/sessions/title.ts'
import { INIT_FILE, writeInitPrompt } from '../../../agent/context/init-prompt.ts'
import { showAge } from '../draw/show-age.ts'
import { readCount, sessionNames } from './app-command.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** Commands that begin, find, copy and name conversations. */
export const conversationCommands: readonly AppCommand[] = [
  {
    name: 'new',
    words: '',
    says: 'begin a new session; the old one stays as it is',
    run: (_rest, app) => app.reopen(() => ({ session: null })),
  },
  {
    name: 'resume',
    words: '[NAME]',
    says: 'continue another session; the list is searched by titles and by what was said',
    run: (rest, app) => resume(rest.trim(), app),
    complete: sessionNames,
  },
  {
    name: 'fork',
    words: '[MESSAGE]',
    says: 'copy the messages up to one into a new session, and continue there; files stay as they are',
    run: (rest, app) => fork(rest.trim(), app),
  },
  {
    name: 'compact',
    words: '[WORDS]',
    says: 'free room in the context window: shorten older results and sum older messages up, with regard to the words',
    run: (rest, app) => compact(rest.trim(), app),
  },
  {
    name: 'rename',
    words: 'TITLE',
    says: 'give this session a title',
    run: (rest, app) => rename(rest.trim(), app),
  },
  {
    name: 'init',
    words: '[WORDS]',
    says: 'have the model write or improve AGENTS.md, the notes about this project for agents',
    run: (rest, app) => init(rest.trim(), app),
  },
]

/** Without a model the page has what the workspace shows by itself; it is asked about and undone like any edit. */
async function init(words: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (!session.checkIdle()) return
  const { project } = await session.runtime.converse(session.request.session)
  const facts = await project()
  if (session.conversation !== null) await session.send(writeInitPrompt(facts, words))
  else if (facts.existing.includes(INIT_FILE))
    session.say('trouble', `${INIT_FILE} exists; a model can improve it. /model chooses one.`)
  else await session.runCall('write_file', { path: INIT_FILE, content: facts.draft })
}

async function resume(name: string, app: AppPowers): Promise<void> {
  const { runtime, request } = app.session()
  if (name !== '') {
    if (sessionNames(app).includes(name)) return app.reopen(() => ({ session: name }))
    app.session().say('trouble', `There is no session ${name}. /resume lists them.`)
    return
  }
  const listed = (await listSessions(runtime)).filter((one) => one.name !== request.session)
  if (listed.length === 0) {
    app.session().say('plain', 'There is no other session in this folder yet.')
    return
  }
  const now = Date.now()
  const chosen = await app.dialogs.choose({
    title: 'Continue which session?',
    choices: listed.map((one) => ({
      label: one.title ?? `(nothing was said) ${one.name}`,
      note: `${one.open ? 'open elsewhere, ' : ''}${one.messages} messages, ${showAge(now - one.updated_at)}`,
      words: () => `${one.name} ${readWords(runtime.peek(one.name))}`,
      value: one.name,
    })),
    enter: 'continues it',
  })
  if (chosen !== null) await app.reopen(() => ({ session: chosen }))
}

async function fork(word: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (!session.checkIdle()) return
  const { runtime, request } = session
  const messages = listMessages(runtime.peek(request.session))
  if (messages.length === 0) {
    session.say('plain', 'Nothing was said in this session yet.')
    return
  }
  const number = word === '' ? null : readCount(word)
  if (word !== '' && (number === null || number > messages.length)) {
    session.say('trouble', `Use /fork, or /fork N for message N of ${messages.length}.`)
    return
  }
  const chosen =
    number === null
      ? await app.dialogs.choose({
          title: 'Fork at which message? The newest is first; one of yours can be said otherwise',
          choices: messages.toReversed().map((message) => ({
            label: `${message.number} ${message.role === 'user' ? 'you' : 'model'}: ${formatTitle(message.text)}`,
            words: () => message.text,
            value: message,
          })),
          enter: 'forks there',
        })
      : messages[number - 1]
  if (chosen === null || chosen === undefined) return
  // A message of the user is said again, changed or not, so the copy ends before it.
  const isOwn = chosen.role === 'user'
  const at = isOwn ? chosen.number - 1 : chosen.number
  if (at === 0) {
    await app.reopen(() => ({ session: null }))
    app.prefill(chosen.text)
    return
  }
  const report = await forkSession(runtime, request.session, { at: String(at) })
  if (!report.ok) {
    session.say('trouble', `Nothing was copied: ${report.why}.`)
    return
  }
  await runtime.release(report.session)
  await app.reopen(() => ({ session: report.session }))
  if (report.doubt !== null) app.session().say('trouble', report.doubt)
  if (isOwn) app.prefill(chosen.text)
}

async function compact(words: string, app: AppPowers): Promise<void> {
  const session = app.session()
  const { conversation } = session
  if (conversation === null) {
    session.say('plain', 'No model, so there is nothing to compact. /model chooses one.')
    return
  }
  await session.work(async (signal) => {
    const report = await conversation.compact(words, { signal })
    // The point itself is in the log, and the view shows it from there.
    if (!report.ok) session.say('plain', report.message)
    else if (report.lacks_summary === true)
      session.say('trouble', 'The model gave no summary, so only results were shortened. Try again later.')
  })
}

async function rename(title: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (title === '') {
    session.say('trouble', 'Use /rename TITLE.')
    return
  }
  if (!session.checkIdle()) return
  const shown = await renameSession(session.runtime, session.request.session, title, null)
  session.say('good', `This session is now called: ${shown}`)
}
