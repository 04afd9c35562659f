import { toolError } from '../../core/error.ts'
import type { Gate, Verdict } from './gate.ts'
import { pass, settleWith } from './gate.ts'
import { findShortage } from '../judge-resources.ts'

const describePosition = (position: number, most: number): string => `call ${position} of at most ${most}`
const passPosition = (position: number, most: number): Verdict => pass(describePosition(position, most))

/** How many calls one message may contain. */
export const batchLimit: Gate = {
  name: 'batch limit',
  judge(facts, settings, recall) {
    const isFewer = settings['tools.fenced.max_calls'] < settings['tools.max_tool_calls_per_batch']
    const key =
      facts.isFenced === true && isFewer ? 'tools.fenced.max_calls' : 'tools.max_tool_calls_per_batch'
    const most = settings[key]
    if (facts.position <= most) return recall(passPosition, facts.position, most)
    const fact = describePosition(facts.position, most)
    const message = `Too many calls in one batch: this is number ${facts.position}, and ${key} is ${most}. Send the rest in a further batch.`
    return settleWith(fact, toolError('limit_exceeded', message, { limit: most, position: facts.position }))
  },
}

const describeRound = (now: number, most: number): string => `round ${now} of at most ${most} in this turn`
const passRound = (now: number, most: number): Verdict => pass(describeRound(now, most))

/** How many rounds of calls a model gets within one user turn. */
export const iterationLimit: Gate = {
  name: 'iteration limit',
  judge(facts, settings, recall) {
    const most = settings['tools.max_tool_iterations_per_user_turn']
    const now = facts.iteration
    if (facts.origin !== 'model' || now <= most) return recall(passRound, now, most)
    return settleWith(
      describeRound(now, most),
      toolError('limit_exceeded', 'Max tool iterations reached', { limit: most, iteration: now }),
    )
  },
}

/** How large arguments may be; those that carry file contents have their own limits. */
export const argumentLimit: Gate = {
  name: 'argument limit',
  judge(facts, settings, recall) {
    const most = settings['tools.max_tool_args_bytes']
    const [big] = facts.oversized
    if (big !== undefined) {
      const message = `The argument ${big.argument} has ${big.bytes} bytes; ${big.key} allows ${big.limit}. Split it over several calls.`
      return settleWith(
        `${big.argument} has ${big.bytes} bytes`,
        toolError('limit_exceeded', message, {
          argument: big.argument,
          bytes: big.bytes,
          limit: big.limit,
          key: big.key,
        }),
      )
    }
    if (facts.argsBytes === 0) return pass('arguments that cannot be read are not measured')
    const { separateArguments } = facts
    if (separateArguments.length === 0 && facts.argsBytes <= most)
      return recall(passBytes, facts.argsBytes, most)
    const rest = separateArguments.length === 0 ? 'arguments' : 'other arguments'
    const fact = [
      ...separateArguments.map(
        ({ argument, bytes, limit }) => `${argument} of ${bytes} bytes, at most ${limit}`,
      ),
      `${rest} of ${facts.argsBytes} bytes, at most ${most}`,
    ].join('; ')
    if (facts.argsBytes <= most) return pass(fact)
    const message = `The ${rest} have ${facts.argsBytes} bytes; tools.max_tool_args_bytes allows ${most}. Send less at a time.`
    return settleWith(fact, toolError('limit_exceeded', message, { bytes: facts.argsBytes, limit: most }))
  },
}

const passBytes = (bytes: number, most: number): Verdict =>
  pass(`arguments of ${bytes} bytes, at most ${most}`)

/** A call does not start if disk space or file descriptors run short. */
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
