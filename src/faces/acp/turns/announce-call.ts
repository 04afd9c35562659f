import type { SessionUpdate } from '@agentclientprotocol/sdk'
import type { JsonObject } from '../../../core/json/value.ts'
import { describeCall } from './describe-call.ts'
import type { CallFacts } from './describe-call.ts'

/** A call that a client is to be shown. */
export interface ShownCall {
  readonly execution: string
  /** As its conversation named it. */
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  /** The call whose delegated conversation makes it; absent if the conversation of the session does. */
  readonly delegate?: { readonly execution: string }
}

/** A call as a client is first told of it. The protocol has no calls below calls, so the title and `_meta` say so. */
export function announceCall(
  { execution, id, name, args, delegate }: ShownCall,
  facts: CallFacts,
): Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call' }> {
  const described = describeCall(name, args, facts)
  return {
    sessionUpdate: 'tool_call',
    toolCallId: execution,
    ...described,
    title: delegate === undefined ? described.title : `↳ ${described.title}`,
    status: 'pending',
    rawInput: args,
    _meta: {
      tongs: { id, ...(delegate === undefined ? {} : { delegate: { execution: delegate.execution } }) },
    },
  }
}
