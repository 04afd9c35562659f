import type { PermissionOption, PromptResponse } from '@agentclientprotocol/sdk'
import type { RevertReport } from '../../../pipeline/after/revert.ts'
import type { UndoOptions } from '../../../runtime/runtime.ts'
import type { EditorSession } from '../editor-session.ts'
import { actionOnFolder } from '../../../terminal/revert-rows.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import { askChoice } from './ask-choice.ts'
import { literal, verbatim } from './verbatim.ts'

const OPTIONS: readonly PermissionOption[] = [
  { optionId: 'do', name: 'Do it', kind: 'allow_once' },
  { optionId: 'leave', name: 'Leave everything as it is', kind: 'reject_once' },
]

/** Shows what an undo or redo would do to which files, and does exactly that after a yes. */
export async function confirmRevert(
  kind: 'undo' | 'redo',
  rest: string,
  session: EditorSession,
  signal: AbortSignal,
): Promise<PromptResponse | string> {
  const choice = readChoice(rest)
  if (choice === null) return 'Use /undo, /undo --turn, /undo --last N, or /undo CALL.'
  const act = (how: Pick<UndoOptions, 'dryRun' | 'shown'>): Promise<RevertReport> => {
    const wish = { session: session.id, ...how, wholeDiff: true }
    return kind === 'undo' ? session.runtime.undo({ ...wish, ...choice }) : session.runtime.redo(wish)
  }
  const shown = await act({ dryRun: true })
  if (!shown.ok) return literal(shown.message ?? `There is nothing to ${kind}.`)
  if (!(await isWanted(kind, shown, session, signal))) return 'Nothing was changed.'
  const report = await act({ shown })
  return report.ok ? describe(kind, report) : literal(report.message ?? `The ${kind} failed.`)
}

function readChoice(rest: string): Pick<UndoOptions, 'turn' | 'last' | 'calls'> | null {
  const words = rest.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return {}
  if (words[0] === '--turn' && words.length === 1) return { turn: true }
  if (words[0] === '--last' && words.length === 2 && /^[1-9]\d{0,5}$/.test(words[1] ?? ''))
    return { last: Number(words[1]) }
  return words.some((word) => word.startsWith('-')) ? null : { calls: words }
}

async function isWanted(
  kind: 'undo' | 'redo',
  report: RevertReport,
  session: EditorSession,
  signal: AbortSignal,
): Promise<boolean> {
  const { toAbsolute } = session.facts
  const chosen = await askChoice(session, signal, {
    id: `${kind}-${report.calls.join('-')}`,
    title: kind === 'undo' ? 'Undo this?' : 'Redo this?',
    text: describe(kind, report),
    diff: report.diff ?? '',
    kind: 'edit',
    locations: report.files.map(({ path }) => ({ path: toAbsolute(path) })),
    options: OPTIONS,
    facts: { [kind]: report },
  })
  return chosen === 'do'
}

function describe(kind: 'undo' | 'redo', { files, folders = [] }: RevertReport): string {
  const rows = [
    ...files.map(({ path, action }) => `${showPath(path)}: ${action}`),
    ...folders.map(({ path, action }) => `${showPath(`${path}/`)}: ${actionOnFolder(action)}`),
  ]
  return `${kind === 'undo' ? 'Undo' : 'Redo'}:\n\n${verbatim(rows)}`
}
