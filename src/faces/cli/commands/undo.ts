import type { RevertReport } from '../../../pipeline/after/revert.ts'
import { printProgress } from '../../../terminal/progress-notice.ts'
import { revertRows } from '../../../terminal/revert-rows.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { askYes } from '../prompts/short-questions.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs undo [CALL…|--last N|--turn] [--merge] [--except FILE…]`: undoes committed changes, all files or none. */
export async function undo(line: ParsedLine, terminal: Terminal): Promise<number> {
  const count = line.value('--last')
  const ways = [line.words.length > 0, count !== undefined, line.has('--turn')].filter(Boolean).length
  if (ways > 1) throw new UsageError('undo takes calls, --last or --turn, but only one of them', 'choose one')
  if (count !== undefined && !/^[1-9]\d{0,5}$/.test(count))
    throw new UsageError(`--last ${JSON.stringify(count)} is not a positive number`, 'try --last 1')
  return revert('undo', line, terminal)
}

/** `tongs redo`: reverts the last undo. */
export async function redo(line: ParsedLine, terminal: Terminal): Promise<number> {
  return revert('redo', line, terminal)
}

async function revert(kind: 'undo' | 'redo', line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const named = line.value('--session')
    const last = line.value('--last')
    const except = line.values('--except')
    const choice = {
      ...(line.words.length > 0 ? { calls: line.words } : {}),
      ...(line.has('--turn') ? { turn: true } : {}),
      ...(last === undefined ? {} : { last: Number(last) }),
      ...(line.has('--merge') ? { merge: true } : {}),
      ...(except.length === 0 ? {} : { except }),
    }
    const output = {
      write: terminal.writeNotice,
      clearRow: terminal.clearNotice,
      canRewrite: process.stderr.isTTY === true,
    }
    const onProgress = printProgress(kind === 'undo' ? 'undoing' : 'redoing', output)
    const act = (session: string | undefined, shown?: RevertReport): Promise<RevertReport> => {
      const options = {
        ...(session === undefined ? {} : { session }),
        ...(shown === undefined ? { dryRun: true } : { shown }),
        onProgress,
      }
      return kind === 'undo' ? runtime.undo({ ...choice, ...options }) : runtime.redo(options)
    }
    const preview = await act(named)
    if (!preview.ok || line.has('--dry-run')) return show(preview, line, terminal, 'would be ')
    if (!line.has('--yes')) {
      if (!line.has('--json')) show(preview, line, terminal, 'will be ')
      const seconds = runtime.configuration.settings['tools.permission_timeout_seconds']
      const question = `${kind} this in session ${safe(preview.session ?? '')}?`
      const isAgreed = !line.has('--no-input') && (await askYes(question, seconds))
      if (!isAgreed) {
        const report = {
          ...preview,
          ok: false,
          files: [],
          message: `Not done: it was not confirmed. Use --yes to ${kind} without being asked.`,
        }
        return show(report, line, terminal, '')
      }
    }
    // The one that was shown: meanwhile another session may have a newer change.
    return show(await act(preview.session ?? undefined, preview), line, terminal, '')
  } finally {
    await runtime.close()
  }
}

function show(report: RevertReport, line: ParsedLine, terminal: Terminal, tense: string): number {
  const { message, ...facts } = report
  if (line.has('--json')) terminal.json(message === null ? facts : { ...facts, message })
  else {
    for (const row of revertRows(report, tense)) terminal.print(safe(row))
    if (report.diff !== undefined && tense !== '') terminal.print(safe(report.diff.trimEnd()))
    if (message !== null) terminal.warn(`tongs: ${message}`)
  }
  return report.ok ? 0 : 1
}
