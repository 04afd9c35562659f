import type { Gate } from '../gates/gate.ts'
import { pass, settleWith } from '../gates/verdict.ts'
import { findShortage } from './judge-resources.ts'

/** A call does not start where the machine has no room for it. */
export const resources: Gate = {
  name: 'resources',
  judge({ resources: left }, settings) {
    if (left === null) return pass('the call needs nothing that could run out')
    const shortage = findShortage(left, settings)
    if (shortage !== null) return settleWith(shortage.fact, shortage.error)
    return pass(
      left.disks.length === 0 ? 'more files can be opened' : 'disks have room, more files can be opened',
    )
  },
}
