import type { RevertReport } from '../../../pipeline/after/revert.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { readCount } from './app-command.ts'

/** Undo and redo. */
export const undoCommands: readonly AppCommand[] = [
  {
    name: 'undo',
    words: '[CALL…|--last N|--turn] [--yes]',
    says: 'undo committed changes, all files or none; shows the list first',
    run: (rest, app) => {
      const words = rest.split(/\s+/).filter((word) => word !== '' && word !== '--yes')
      const choice = readChoice(words)
      if (choice === null) {
        app.session().say('trouble', 'Use /undo, /undo --last N, /undo --turn, or /undo CALL.')
        return
      }
      const { session } = app.session().request
      const act = (dryRun: boolean) => app.session().runtime.undo({ session, ...choice, dryRun })
      return revert('undo', rest, app, act)
    },
    complete: () => ['--turn', '--last ', '--yes'],
  },
  {
    name: 'redo',
    words: '[--yes]',
    says: 'redo what the last undo reverted',
    run: (rest, app) => {
      const { session } = app.session().request
      return revert('redo', rest, app, (dryRun) => app.session().runtime.redo({ session, dryRun }))
    },
    complete: () => ['--yes'],
  },
]

interface UndoChoice {
  readonly turn?: true
  readonly last?: number
  readonly calls?: readonly string[]
}

function readChoice(words: readonly string[]): UndoChoice | null {
  const [first, second, ...more] = words
  if (first === undefined) return {}
  if (first === '--turn') return second === undefined ? { turn: true } : null
  if (first === '--last') {
    const last = more.length === 0 ? readCount(second ?? '') : null
    return last === null ? null : { last }
  }
  return words.some((word) => word.startsWith('-')) ? null : { calls: words }
}

async function revert(
  kind: 'undo' | 'redo',
  rest: string,
  app: AppPowers,
  act: (dryRun: boolean) => Promise<RevertReport>,
): Promise<void> {
  const session = app.session()
  if (!session.checkIdle()) return
  const preview = await act(true)
  if (!preview.ok) {
    session.say('trouble', preview.message ?? `There is nothing to ${kind}.`)
    return
  }
  const rows = preview.files.map(({ path, action }) => `will be ${action}: ${path}`)
  const title = kind === 'undo' ? 'Undo this?' : 'Redo this?'
  if (!/(?:^|\s)--yes(?:\s|$)/.test(rest) && !(await app.confirm({ title, rows }))) {
    session.say('plain', 'Nothing was changed.')
    return
  }
  const report = await act(false)
  if (!report.ok) session.say('trouble', report.message ?? `${kind} failed.`)
  session.catchUp()
}
