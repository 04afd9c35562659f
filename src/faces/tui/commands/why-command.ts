import { callsOf } from '../view/view.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** How a call was decided about. */
export const whyCommand: AppCommand = {
  name: 'why',
  words: '[CALL]',
  says: 'which gate decided about a call, and on what; without a word the chosen or the last one',
  run: (rest, app) => explain(rest.trim(), app),
  complete: (app) =>
    callsOf(app.desk().view())
      .map(({ key }) => key)
      .toReversed(),
}

function explain(wanted: string, app: AppPowers): void {
  const desk = app.desk()
  const prefix = wanted === '' ? (app.chosenCall()?.key ?? '') : wanted
  if (prefix === '') {
    desk.say('trouble', 'There is no call to explain yet.')
    return
  }
  const [one, ...others] = desk.runtime.why(prefix)
  if (one === undefined) {
    desk.say('trouble', `No call begins with ${prefix}. /log lists the calls there are.`)
    return
  }
  if (others.length > 0) {
    const ids = [one, ...others].map(({ execution }) => execution)
    desk.say('trouble', `Several calls begin with ${prefix}. ${ids.join(' ')}`)
    return
  }
  const rows = one.gates.map(({ verdict, gate, fact }) => `${verdict.padEnd(4)} ${gate}\t${fact}`)
  const error = one.error === null ? '' : `: ${one.error}`
  const head = `${one.name} (${one.execution}) was ${one.verdict} and is ${one.state}${error}`
  desk.say('plain', [head, ...rows].join('\n'))
}
