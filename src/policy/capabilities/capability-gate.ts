import type { Capability } from '../../core/capability.ts'
import type { Gate } from '../gates/gate.ts'
import { pass, settleWith } from '../gates/verdict.ts'
import type { Verdict } from '../gates/verdict.ts'
import { judgeCapabilities } from './judge-capabilities.ts'

/** What was said last of a declaration that is granted; nearly every call repeats it. */
const passed = new WeakMap<
  readonly Capability[],
  { readonly granted: readonly string[]; readonly verdict: Verdict }
>()

/** A tool that declares more than is granted does not run. */
export const capabilities: Gate = {
  name: 'capabilities',
  judge({ tool }, settings) {
    if (tool === null) return pass('there is no tool that could declare any')
    const granted = settings['tools.capabilities.granted']
    const known = passed.get(tool.capabilities)
    if (known?.granted === granted) return known.verdict
    const judged = judgeCapabilities(tool.name, tool.capabilities, granted)
    if (!judged.ok) return settleWith(`not granted: ${judged.missing.join(', ')}`, judged.error)
    const held = judged.capabilities.join(', ')
    const verdict = pass(held === '' ? 'the tool needs none' : `granted: ${held}`)
    passed.set(tool.capabilities, { granted, verdict })
    return verdict
  },
}
