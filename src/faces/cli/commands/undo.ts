import { USUAL_SESSION } from '../../../config/fixed-values.ts'
import type { RevertReport } from '../../../pipeline/after/revert.ts'
import { printProgress } from '../../../terminal/progress-notice.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { askYes } from '../prompts/short-questions.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs undo [CALL…|--last N|--turn]`: undoes committed changes, all files or none. */
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
    const session = line.value('--session') ?? USUAL_SESSION
    const turn = line.has('--turn')
    const last = line.value('--last')
    const choice = {
      session,
      ...(line.words.length > 0 ? { calls: line.words } : {}),
      ...(turn ? { turn } : {}),
      ...(last === undefined ? {} : { last: Number(last) }),
    }
    const output = { write: terminal.writeNotice, canRewrite: process.stderr.isTTY === true }
    const onProgress = printProgress(kind === 'undo' ? 'undoing' : 'redoing', output)
    const act = (dryRun: boolean): Promise<RevertReport> =>
      kind === 'undo'
        ? runtime.undo({ ...choice, dryRun, onProgress })
        : runtime.redo({ session, dryRun, onProgress })
    const preview = await act(true)
    if (!preview.ok || line.has('--dry-run')) return show(preview, line, terminal, 'would be ')
    if (!line.has('--yes')) {
      if (!line.has('--json')) show(preview, line, terminal, 'will be ')
      const seconds = runtime.configuration.settings['tools.permission_timeout_seconds']
      const isAgreed = !line.has('--no-input') && (await askYes(`${kind} this?`, seconds))
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
    return show(await act(false), line, terminal, '')
  } finally {
    await runtime.close()
  }
}

function show(report: RevertReport, line: ParsedLine, terminal: Terminal, tense: string): number {
  const { message, ...facts } = report
  if (line.has('--json')) terminal.json(message === null ? facts : { ...facts, message })
  else {
    for (const { path, action } of report.files) terminal.print(safe(`${tense}${action}: ${path}`))
    if (message !== null) terminal.warn(`tongs: ${message}`)
  }
  return report.ok ? 0 : 1
}
