import type { Gate } from '../gate.ts'
import { pass, settleWith } from '../verdict.ts'
import { judgeCapabilities } from './judge-capabilities.ts'

export const capabilities: Gate = {
  name: 'capabilities',
  judge({ tool }, settings) {
    if (tool === null) return pass('there is no tool that could declare any')
    const verdict = judgeCapabilities(tool.name, tool.capabilities, settings['tools.capabilities.granted'])
    if (!verdict.ok) return settleWith(`not granted: ${verdict.missing.join(', ')}`, verdict.error)
    const { capabilities: held } = verdict
    return pass(held.length === 0 ? 'the tool needs none' : `granted: ${held.join(', ')}`)
  },
}
