import type { Converse, DelegatedWork } from '../../../core/conversation/delegation.ts'
import { toolError, ToolFailure } from '../../../core/error.ts'
import type { Run } from '../../engine.ts'
import type { ToolContextSource } from '../tool-context.ts'

/** Thrown out of a tool whose conversation waits, so that nothing of its call ends. */
export class ConversationWaits extends Error {}

/** Hands a tool the conversation that carries its call out. */
export function converseFor(
  { tool, call, timeoutMs, stop }: Pick<ToolContextSource, 'tool' | 'call' | 'timeoutMs' | 'stop'>,
  { delegating }: Pick<Run, 'delegating'>,
): Converse {
  return async (): Promise<DelegatedWork> => {
    if (!tool.converses || delegating === null)
      throw new ToolFailure(toolError('not_allowed', `${tool.name} has no conversation to hand its work to.`))
    const { execution, id, args } = call
    const end = await delegating.hold({ execution, id, args, timeoutMs, signal: stop().signal })
    if (end.is === 'waiting') throw new ConversationWaits()
    if (end.is === 'failed') throw new ToolFailure(end.error)
    return end.work
  }
}
