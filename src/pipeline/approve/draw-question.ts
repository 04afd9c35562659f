import { LISTED_CHANGES } from '../../config/fixed-values.ts'
import type { ApprovalRequest } from '../../core/approval.ts'
import type { Phase, ToolError } from '../../core/error.ts'
import type { Risk, Tool } from '../../core/tool.ts'
import type { ExtraPathFact } from '../../policy/facts.ts'
import { refusalOf } from '../../policy/judge.ts'
import type { Run } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import { leadsElsewhere } from '../plan/extra-paths.ts'
import { findNamedFiles } from '../plan/named-files.ts'
import { folderBeside, summarise } from '../plan/summarise.ts'
import { refuse } from '../step.ts'
import type { Step } from '../step.ts'
import { errorFrom } from '../tool-crash.ts'
import { describeDelegate, readDelegate } from './delegate-asking.ts'
import { offerFor } from './offer.ts'

/**
 * A question as a person sees it, whenever it is asked. A field that questions get later is part of this, and so of
 * what an approval covers, unless it is left out here by name.
 */
export type DrawnQuestion = Omit<ApprovalRequest, 'id' | 'asked_at' | 'expires_at' | 'damaged'>

/** A question, or the call settled because no question can be made. */
export type Drawn =
  | { readonly is: 'drawn'; readonly question: DrawnQuestion }
  | { readonly is: 'settled'; readonly step: Step }

/** Draws the question about a call. If its preview or summary fails, the call is settled and the approver is not asked. */
export function drawQuestion(step: Step, preview: Preview, run: Run): Drawn {
  const { call, tool, facts } = step
  if (tool === null) return { is: 'settled', step }
  if (preview.is === 'failed') {
    const phase = facts.tool?.effect === 'spawn' ? 'process' : 'running'
    const refused = refuseQuietly(step, preview.error, 'preview', phase)
    return { is: 'settled', step: { ...refused, shows: preview.shows } }
  }
  const names = findNamedFiles(step, preview, run.engine)
  let summary: string
  try {
    summary = summarise(tool, call, run.engine.settings, names)
  } catch (thrown) {
    return { is: 'settled', step: refuseQuietly(step, errorFrom(tool.name, thrown), 'summary') }
  }
  const delegate = run.delegate === null ? null : readDelegate(run.delegate, run.log)
  const notes = [
    ...(delegate === null ? [] : [describeDelegate(delegate)]),
    ...(preview.notes ?? []),
    ...facts.extraPaths.flatMap(noteElsewhere),
    ...(facts.tool?.effect === 'spawn' ? run.engine.shell.remarks() : []),
  ]
  const question: DrawnQuestion = {
    ...landingOf(preview),
    session: run.log.key.name,
    call: { id: call.id, name: call.name, args: call.args },
    ...(names.length === 0 ? {} : { names }),
    ...folderOf(tool, call),
    execution: call.execution,
    ...(delegate === null ? {} : { delegate }),
    summary,
    risk: riskOf(step, preview),
    diff: preview.is === 'shown' ? preview.diff : null,
    ...hunksOf(preview, run),
    ...offerFor(step, { tool, preview }, run.engine),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
  return { is: 'drawn', question }
}

function folderOf(tool: Tool, call: Step['call']): Pick<DrawnQuestion, 'cwd'> {
  const cwd = folderBeside(tool, call)
  return cwd === null ? {} : { cwd }
}

/**
 * Settles a call with an error of its tool. Its words may quote a file; they are in the result, which can be erased, and
 * not in the findings, which stay.
 */
function refuseQuietly(step: Step, error: ToolError, gate: string, phase?: Phase): Step {
  const refused = refuse(step, error, gate, phase)
  const { findings } = refused.judgement
  const finding = { gate, fact: `the tool failed with ${error.code}`, verdict: refusalOf(error) }
  return { ...refused, judgement: { ...refused.judgement, findings: [...findings.slice(0, -1), finding] } }
}

/** Under the profile strict a change is approved as it was requested, or not at all. */
function hunksOf(preview: Preview, { engine }: Run): Pick<DrawnQuestion, 'hunks'> {
  const hunks = preview.is === 'shown' && engine.settings.profile !== 'strict' ? preview.hunks : undefined
  return hunks === undefined ? {} : { hunks }
}

/** What has happened on a layer does no harm until it lands, and undo takes it back then. */
function riskOf({ facts }: Step, preview: Preview): Risk {
  const risk = facts.tool?.risk ?? 'High'
  const isLanding = preview.is === 'shown' && preview.landing !== undefined
  return isLanding && risk === 'High' ? 'Medium' : risk
}

function landingOf(preview: Preview): Pick<DrawnQuestion, 'kind' | 'changes' | 'changes_total' | 'size'> {
  const landing = preview.is === 'shown' ? preview.landing : undefined
  if (landing === undefined) return { kind: 'call' }
  const { changes, size } = landing
  return {
    kind: 'landing',
    changes: changes.slice(0, LISTED_CHANGES),
    ...(changes.length > LISTED_CHANGES ? { changes_total: changes.length } : {}),
    size,
  }
}

/** The summary names the path that was asked for; what counts is where its links lead. */
function noteElsewhere(fact: ExtraPathFact): readonly string[] {
  const { path, real } = fact
  return leadsElsewhere(fact) ? [`${JSON.stringify(path)} leads to ${JSON.stringify(real)}.`] : []
}
