import type { Capability } from '../../core/capability.ts'
import type { Gate, Verdict } from '../gates/gate.ts'
import { pass, settleWith } from '../gates/gate.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import { bitsOfWords, bitsWithPrerequisites, CAPABILITY_TREE, hasBit, listBits } from './capability-tree.ts'

/** A tool that declares more than is granted does not run. */
export const capabilities: Gate = {
  name: 'capabilities',
  judge({ tool }, settings, recall) {
    if (tool === null) return pass('there is no tool to declare any')
    const granted = settings['tools.capabilities.granted']
    const held = recall(describeHeld, tool.capabilities, granted)
    return held ?? describeJudged(judgeCapabilities(tool.name, tool.capabilities, granted))
  },
}

/** The verdict on any tool that declares this; null if something is missing, because the error then names the tool. */
function describeHeld(declared: readonly Capability[], granted: readonly string[]): Verdict | null {
  const judged = judgeCapabilities('', declared, granted)
  return judged.ok ? describeJudged(judged) : null
}

function describeJudged(judged: CapabilityVerdict): Verdict {
  if (!judged.ok) return settleWith(`not granted: ${judged.missing.join(', ')}`, judged.error)
  const { capabilities: held } = judged
  return held.length === 0 ? pass('the tool needs none') : pass(`granted: ${held.join(', ')}`)
}

/** The capabilities that a tool gets, or those it lacks. */
export type CapabilityVerdict =
  /** Exactly what it declared and the prerequisites, not everything that is granted. */
  | { readonly ok: true; readonly capabilities: readonly Capability[] }
  | { readonly ok: false; readonly missing: readonly Capability[]; readonly error: ToolError }

/** Compares what a tool declares with the words granted to tools. */
export function judgeCapabilities(
  tool: string,
  declared: readonly Capability[],
  granted: readonly string[],
): CapabilityVerdict {
  const needed = bitsWithPrerequisites(declared)
  const missing = listBits(needed & ~bitsOfWords(granted))
  if (missing.length === 0) return { ok: true, capabilities: listBits(needed) }
  const lacking = missing.map((capability) => `${capability} (${CAPABILITY_TREE[capability].action})`)
  const message = `${tool} needs capabilities that are not granted: ${lacking.join(', ')}.`
  const details = {
    missing: [...missing],
    declared: [...declared],
    granted: [...granted],
    needed_by: Object.fromEntries(
      missing.map((capability) => [capability, findReason(capability, declared)]),
    ),
    risk: Object.fromEntries(missing.map((capability) => [capability, CAPABILITY_TREE[capability].risk])),
  }
  const more = missing.map((capability) => JSON.stringify(capability)).join(', ')
  const recovery = [
    'Use another tool.',
    `The owner of the configuration can grant it: add ${more} to tools.capabilities.granted; see tongs config explain tools.capabilities.granted.`,
  ]
  return { ok: false, missing, error: toolError('capability_denied', message, details, recovery) }
}

/** The declared capability that needs another one. */
function findReason(capability: Capability, declared: readonly Capability[]): Capability {
  if (declared.includes(capability)) return capability
  return declared.find((one) => hasBit(bitsWithPrerequisites([one]), capability)) ?? capability
}
