import { showPath } from '../../../core/text/display/show-path.ts'
import { gutterOf, numberDiff } from '../../../terminal/number-diff.ts'
import { revertRows } from '../../../terminal/revert-rows.ts'
import type { RevertReport } from '../../../pipeline/after/revert.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { readCount } from './app-command.ts'
import { pickTurns } from './undo-turns.ts'

/** Undo and redo. */
export const undoCommands: readonly AppCommand[] = [
  {
    name: 'undo',
    words: '[CALL…|--last N|--turn] [--merge] [--except FILE…] [--yes]',
    says: 'undo committed changes, all files or none; shows the turns and what each changed first',
    run: async (rest, app) => {
      const read = readUndo(rest)
      if (read === null) {
        app
          .session()
          .say(
            'trouble',
            'Use /undo, /undo --last N, /undo --turn, or /undo CALL; --merge and --except FILE.',
          )
        return
      }
      const { choice, isSure } = read
      if (!app.session().checkIdle()) return
      const isOpen = choice.turn === undefined && choice.last === undefined && choice.calls === undefined
      const calls = isOpen && !isSure ? await pickTurns(app) : []
      if (calls === null) return
      await undo(calls.length === 0 ? choice : { ...choice, calls }, isSure, app)
    },
    complete: () => ['--turn', '--last ', '--merge', '--except ', '--yes'],
  },
  {
    name: 'redo',
    words: '[--yes]',
    says: 'redo what the last undo reverted',
    run: async (rest, app) => {
      const { session } = app.session().request
      const redo = (shown?: RevertReport) =>
        app.session().runtime.redo({ session, ...(shown === undefined ? { dryRun: true } : { shown }) })
      if (app.session().checkIdle()) await confirm('redo', /(?:^|\s)--yes(?:\s|$)/.test(rest), app, redo)
    },
    complete: () => ['--yes'],
  },
]

interface UndoChoice {
  readonly turn?: true
  readonly last?: number
  readonly calls?: readonly string[]
  readonly merge?: true
  readonly except?: readonly string[]
}

function readUndo(rest: string): { readonly choice: UndoChoice; readonly isSure: boolean } | null {
  const words = rest.split(/\s+/).filter((word) => word !== '')
  const except: string[] = []
  const calls: string[] = []
  const flags = new Set<string>()
  let last: number | null = null
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === '--last') {
      last = readCount(words[++at] ?? '')
      if (last === null) return null
    } else if (FLAGS.has(word)) flags.add(word)
    else if (word.startsWith('-')) return null
    else (flags.has('--except') ? except : calls).push(word)
  }
  const ways = [flags.has('--turn'), last !== null, calls.length > 0].filter(Boolean).length
  if ((flags.has('--except') && except.length === 0) || ways > 1) return null
  return {
    choice: {
      ...(flags.has('--turn') ? { turn: true } : {}),
      ...(flags.has('--merge') ? { merge: true } : {}),
      ...(last === null ? {} : { last }),
      ...(calls.length === 0 ? {} : { calls }),
      ...(except.length === 0 ? {} : { except }),
    },
    isSure: flags.has('--yes'),
  }
}

const FLAGS: ReadonlySet<string> = new Set(['--yes', '--merge', '--turn', '--except'])

/** Undoes what was chosen; where files changed since, the user is offered the two ways on. */
async function undo(choice: UndoChoice, isSure: boolean, app: AppPowers): Promise<void> {
  const { session } = app.session().request
  const act = (shown?: RevertReport) =>
    app
      .session()
      .runtime.undo({ session, ...choice, ...(shown === undefined ? { dryRun: true } : { shown }) })
  if (!isSure && choice.merge === undefined) {
    const { drifted } = await act()
    const way = drifted.length === 0 ? 'as it is' : await pickWay(drifted, app)
    if (way === null) return
    if (way === 'merge') return undo({ ...choice, merge: true }, isSure, app)
    if (way === 'except')
      return undo({ ...choice, except: [...(choice.except ?? []), ...drifted] }, isSure, app)
  }
  await confirm('undo', isSure, app, act)
}

async function pickWay(drifted: readonly string[], app: AppPowers): Promise<'merge' | 'except' | null> {
  const way = await app.dialogs.choose<'merge' | 'except'>({
    title: `Changed since: ${drifted.map((path) => showPath(path)).join(', ')}`,
    choices: [
      { label: 'merge: take back only their lines', note: 'shows a diff first', value: 'merge' },
      {
        label: 'leave: undo only the other files',
        note: 'can be undone later',
        value: 'except',
      },
    ],
    enter: 'goes on',
  })
  if (way === null) app.session().say('plain', 'Nothing was changed.')
  return way
}

/** Shows what will be done, and does exactly that. */
async function confirm(
  kind: 'undo' | 'redo',
  isSure: boolean,
  app: AppPowers,
  act: (shown?: RevertReport) => Promise<RevertReport>,
): Promise<void> {
  const session = app.session()
  const preview = await act()
  if (!preview.ok) {
    session.say('trouble', preview.message ?? `There is nothing to ${kind}.`)
    return
  }
  const rows = [...revertRows(preview, 'will be '), ...diffRows(preview.diff ?? '')]
  const title = kind === 'undo' ? 'Undo this?' : 'Redo this?'
  if (!isSure && !(await app.confirm({ title, rows }))) {
    session.say('plain', 'Nothing was changed.')
    return
  }
  const report = await act(preview)
  if (!report.ok) session.say('trouble', report.message ?? `${kind} failed.`)
  session.catchUp()
}

/** A diff with the numbers of its lines, behind a bar; the rows above it name the files. */
function diffRows(diff: string): readonly string[] {
  if (diff === '') return []
  const all = numberDiff(diff.trimEnd().split('\n'))
  const isOne = all.filter(({ is }) => is === 'file').length === 1
  const rows = all.filter(
    ({ is }, index) => (is !== 'hunk' || all[index - 1]?.is !== 'file') && (is !== 'file' || !isOne),
  )
  const width = gutterOf(rows)
  return rows.map(({ is, text, number }) => {
    if (number !== null) return `│ ${String(number).padStart(width)} ${text}`
    return `│ ${is === 'hunk' ? '…'.padStart(width) : text}`
  })
}
