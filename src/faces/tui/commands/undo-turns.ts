import { showPath } from '../../../core/text/display/show-path.ts'
import { formatTitle } from '../../../agent/sessions/title.ts'
import { listUndoableTurns } from '../../../pipeline/after/undoable-turns.ts'
import type { UndoableTurn } from '../../../pipeline/after/undoable-turns.ts'
import type { LogReader } from '../../../journal/log.ts'
import type { AppPowers } from './app-command.ts'

/** How many turns are listed. */
const MOST_TURNS = 100
const MOST_NAMED = 4
const NOTHING_DONE =
  'Nothing was done here yet, so there is nothing to undo. /resume opens an earlier session.'

/** Lets the user pick up to which turn to undo; returns the calls of these turns, or null. */
export async function pickTurns(app: AppPowers): Promise<readonly string[] | null> {
  const session = app.session()
  const log = session.runtime.peek(session.request.session)
  const turns = listUndoableTurns(log, MOST_TURNS)
  if (turns.length === 0) {
    const isNew = !session.isBegun()
    session.say('plain', isNew ? NOTHING_DONE : 'There is nothing to undo in this session.')
    return null
  }
  const prompts = readPrompts(log, new Set(turns.map(({ turn }) => turn)))
  const row = await app.dialogs.choose({
    title: 'Undo up to which turn? The newest is first',
    choices: turns.map((turn, place) => ({
      label: `${timeOf(turn.at)} ${prompts.get(turn.turn) ?? turn.tools.join(', ')}`,
      note: describeFiles(turn),
      value: place,
    })),
    takesAbove: true,
    enter: 'undoes it and those above',
  })
  return row === null ? null : turns.slice(0, row + 1).flatMap(({ calls }) => calls)
}

function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 5)
}

/** What a turn did to its files, in a few words. */
function describeFiles({ files, tools }: UndoableTurn): string {
  const marks = { created: '+', modified: '~', deleted: '-' } as const
  const named = files.slice(0, MOST_NAMED).map(({ path, is }) => `${marks[is]}${showPath(path)}`)
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''
  const command = tools.some((tool) => tool.startsWith('run_')) ? ' (command)' : ''
  return `${named.length === 0 ? 'only folders' : named.join(' ')}${more}${command}`
}

/** The first words of each turn. */
function readPrompts(log: LogReader, turns: ReadonlySet<string>): ReadonlyMap<string, string> {
  const prompts = new Map<string, string>()
  const wanted = new Set(turns)
  for (const { entry } of log.newestFirst('said')) {
    if (entry.kind !== 'said') continue
    if (entry.role === 'user' && turns.has(entry.turn)) {
      const bytes = log.payload(entry.message)
      if (bytes !== null) prompts.set(entry.turn, formatTitle(new TextDecoder().decode(bytes)))
      wanted.delete(entry.turn)
    }
    // Typed calls have no prompt; the turns before the oldest one are not needed for them.
    if (wanted.size === 0) break
  }
  return prompts
}
