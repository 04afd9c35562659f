import type { StoredEntry } from '../../../journal/entries/entry.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { readCount } from './read-count.ts'

const USUAL_ROWS = 30

/** What happened, in a few words a line. */
export const logCommand: AppCommand = {
  name: 'log',
  words: '[N]',
  says: 'what happened in this session, newest last',
  run: (rest, app) => {
    const count = rest.trim() === '' ? USUAL_ROWS : readCount(rest.trim())
    if (count === null) app.desk().say('trouble', 'Say /log, or /log N for the last N lines.')
    else showLog(count, app)
  },
}

function showLog(count: number, app: AppPowers): void {
  const desk = app.desk()
  const rows = [...desk.runtime.log({ session: desk.wish.session })].flatMap(describe)
  desk.say('plain', rows.length === 0 ? 'Nothing has happened yet.' : rows.slice(-count).join('\n'))
}

function describe({ at, entry }: StoredEntry): readonly string[] {
  const time = new Date(at).toTimeString().slice(0, 8)
  switch (entry.kind) {
    case 'settled': {
      const end = entry.error === null ? 'done' : entry.error.code
      const files = entry.changes.map(({ path }) => path).join(' ')
      return [`${time} ${entry.execution} ${entry.name} ${end} ${files}`.trimEnd()]
    }
    case 'undo':
    case 'redo':
      return [`${time} ${entry.execution} ${entry.kind} ${entry.changes.map(({ path }) => path).join(' ')}`]
    case 'asked':
      return entry.questions.map(({ summary }) => `${time} asked: ${summary}`)
    case 'answered':
      return [`${time} ${entry.isApproved ? 'approved' : 'denied'}`]
    case 'recovered':
      return [`${time} after an interruption: ${entry.choice}`]
    case 'forgotten':
      return [`${time} forgotten: ${entry.why}`]
    case 'held':
      return [`${time} held: ${entry.executions.length} calls wait for their results`]
    case 'condensed':
      return [`${time} condensed: ${entry.summary === null ? 'older results' : 'older messages'}`]
    case 'batch':
    case 'continued':
    case 'drafted':
    case 'note':
    case 'said':
    case 'started':
    case 'streamed':
    case 'voided':
      return []
  }
}
