import { callsOf } from '../view/view.ts'
import { readCount } from './app-command.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** Commands about what came of calls and of a turn. */
export const resultCommands: readonly AppCommand[] = [
  {
    name: 'show',
    words: '[N]',
    says: 'show all of the result of a call: the selected or last one, or the Nth from the end',
    run: (rest, app) => showCall(rest.trim(), app),
  },
  {
    name: 'copy',
    words: '',
    says: 'put the last answer of the model into the clipboard of the terminal',
    run: (_rest, app) => copyAnswer(app),
  },
]

function showCall(word: string, app: AppPowers): void {
  const session = app.session()
  const number = word === '' ? 1 : readCount(word)
  if (number === null) {
    session.say('trouble', 'Use /show, or /show N for the Nth call from the end.')
    return
  }
  const call = word === '' ? app.chosenCall() : (callsOf(session.view()).at(-number) ?? null)
  if (call !== null) app.showCall(call)
  else session.say('plain', word === '' ? 'There is no call yet.' : 'There are not so many calls.')
}

function copyAnswer(app: AppPowers): void {
  const session = app.session()
  const answer = session.view().blocks.findLast(({ kind }) => kind === 'answer')
  if (answer?.kind !== 'answer') {
    session.say('plain', 'There is no answer to copy yet.')
    return
  }
  const trouble = app.copy(answer.text)
  if (trouble === null) session.say('plain', 'Copied the last answer, as far as the terminal allows it.')
  else session.say('trouble', trouble)
}
