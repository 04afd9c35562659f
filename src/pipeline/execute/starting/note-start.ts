import type { Effect } from '../../../core/tool.ts'
import type { Authorization, StartedEntry } from '../../../journal/entries/entry.ts'
import { withPrerequisites } from '../../../policy/capabilities/capability-tree.ts'
import { staysOnLayer } from '../../../policy/gates/approval-gates.ts'
import { APPROVAL_GATE } from '../../../policy/judge.ts'
import type { Run } from '../../engine.ts'
import type { Step } from '../../step.ts'

/** Whether the workspace cannot undo what a call does. */
export function isBeyondUndo(effect: Effect): boolean {
  return effect === 'spawn' || effect === 'external'
}

/** Records the start durably before the call begins: after a crash it is in doubt instead of lost. */
export async function noteStart(effect: Effect, step: Step, run: Run): Promise<void> {
  const { execution } = step.call
  const idempotencyKey = effect === 'external' ? execution : null
  const authorized = authorizationOf(step, effect)
  const onLayer = layerOf(step, effect, run)
  const entry = { kind: 'started', execution, effect, idempotencyKey, authorized, ...onLayer } as const
  await run.log.appendTogether({ entries: [entry], reliance: 'durable' })
}

/** The layer that keeps everything apart that a call does; absent if something of it could reach further. */
function layerOf({ facts }: Step, effect: Effect, { engine }: Run): Pick<StartedEntry, 'layer'> {
  if (effect !== 'spawn' || !facts.shell?.holds || !staysOnLayer(facts, engine.settings)) return {}
  const { layer } = facts.shell
  return layer === 'none' ? {} : { layer }
}

function authorizationOf({ tool, judgement }: Step, effect: Effect): Authorization {
  const { findings, grant } = judgement
  const isAnswered = findings.some(({ gate, verdict }) => gate === APPROVAL_GATE && verdict === 'pass')
  const sandbox = effect === 'spawn' ? findings.find(({ gate }) => gate === 'confinement')?.fact : undefined
  return {
    capabilities: withPrerequisites(tool?.capabilities ?? []),
    ...(isAnswered
      ? { consent: 'answer' }
      : grant === undefined
        ? {}
        : { consent: { grant: grant.id, sentence: grant.sentence } }),
    ...(sandbox === undefined ? {} : { sandbox }),
  }
}
