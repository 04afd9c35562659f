import { digest } from '../../../host/system/hash.ts'
import type { RevertReport } from '../../../pipeline/after/revert.ts'
import type { UndoOptions } from '../../../runtime/runtime.ts'
import type { EditorSession } from '../editor-session.ts'
import type { Params } from './read-params.ts'

const CHANGED =
  'Nothing was changed: it would do something else now than what was shown. Look at it again, and confirm it then.'

/** What an editor is answered: the report, and the name under which it can be confirmed. */
type ShownReport = RevertReport & { readonly shown?: string }

/** Takes back or brings back changes: shown with `dryRun`, and then exactly what was shown if `shown` names it. */
export function revert(kind: 'undo' | 'redo', session: EditorSession, params: Params): Promise<ShownReport> {
  const [isDry, confirmed] = [params.flag('dryRun'), params.optionalText('shown')]
  const wish = kind === 'undo' ? readWish(params) : {}
  params.end()
  const act = (how: Pick<UndoOptions, 'dryRun' | 'shown'>): Promise<RevertReport> =>
    session.runtime[kind]({ session: session.id, ...wish, ...how, wholeDiff: true })
  return session.exclusively(async () => {
    if (!isDry && confirmed === null) return act({})
    const report = await act({ dryRun: true })
    if (!report.ok) return report
    const shown = digest(JSON.stringify([kind, wish, report]))
    if (isDry) return { ...report, shown }
    if (shown !== confirmed) return { ...report, ok: false, message: CHANGED, shown }
    return act({ shown: report })
  })
}

function readWish(params: Params): UndoOptions {
  const [calls, last, except] = [params.texts('calls'), params.count('last'), params.texts('except')]
  return {
    ...(calls === null ? {} : { calls }),
    ...(last === null ? {} : { last }),
    ...(except === null ? {} : { except }),
    ...(params.flag('turn') ? { turn: true } : {}),
    ...(params.flag('merge') ? { merge: true } : {}),
  }
}
