import type { ApprovalRequest, PermissionAnswer } from '../../core/approval.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { rowOfOnly } from '../../core/result.ts'
import type { ToolResult } from '../../core/result.ts'
import type { Clock } from '../../core/clock.ts'
import { createIds } from '../../host/system/ids.ts'
import { systemClock } from '../../host/system/clock.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { letGoAtRest } from './let-go-at-rest.ts'

/** A turn, and the pass in it, ends when no call came for this long. */
const TURN_REST_MS = 60_000

/** A call as a client makes it. */
export interface ClientCall {
  readonly name: string
  readonly args: JsonObject
  /** What is wrong with the text of its arguments. */
  readonly problems: readonly string[]
}

/** How a call is watched and stopped. */
export interface CallHooks {
  readonly signal: AbortSignal
  /** Absent if nobody watches it. */
  readonly onEvent?: (event: LiveEvent) => void
}

/** What came of a call: its result, or a question that has to be answered first. */
export type CallOutcome =
  | {
      readonly is: 'result'
      readonly result: ToolResult
      /** Why an answer was not taken: another one came first. */
      readonly fault?: string
    }
  | {
      readonly is: 'asked'
      readonly request: ApprovalRequest
      readonly notice: ToolResult
      /** Why the last answer was not taken. */
      readonly fault?: string
    }

/** The calls of one client: a session of their own, in which every call is a batch. */
export interface Connection {
  /** The session, once there is one. */
  readonly session: () => string | null
  readonly call: (call: ClientCall, hooks: CallHooks) => Promise<CallOutcome>
  /** What a call that was asked about has come to: its question if that is still open, else its result. It begins no call. */
  readonly lookUp: (call: ClientCall, execution: string) => Promise<CallOutcome>
  /** Answers the question about a call that waits, and goes on with it. */
  readonly answer: (
    call: ClientCall,
    question: Pick<ApprovalRequest, 'id' | 'execution'>,
    given: PermissionAnswer,
    hooks: CallHooks,
  ) => Promise<CallOutcome>
  /** Waits for what is under way, and lets go of the session. */
  readonly close: () => Promise<void>
}

/** Opens the calls of a client; its session begins with the first of them. */
export function openConnection(runtime: Runtime, clock: Clock = systemClock): Connection {
  const newId = createIds(clock)
  /** The calls that wait, by what makes them the same call, each with its execution. */
  const waiting = new Map<string, string>()
  let beginning: Promise<string> | null = null
  let session: string | null = null
  let turn = newId()
  let calls = 0
  let busy = 0
  let onIdle: (() => void) | null = null
  let restingSince = 0
  const rest = letGoAtRest(runtime, () => (waiting.size === 0 ? session : null))

  const begin = async (): Promise<string> => {
    beginning ??= runtime.begin('mcp-')
    session = await beginning
    return session
  }

  /** Begins a part of the work, in the turn that is under way or after a rest in a new one; the session may still be let go of. */
  const enter = (): Promise<void> | null => {
    if (busy === 0 && clock.elapsed() - restingSince > TURN_REST_MS) turn = newId()
    busy += 1
    return rest.begin()
  }

  const leave = (): void => {
    busy -= 1
    rest.done()
    if (busy > 0) return
    restingSince = clock.elapsed()
    onIdle?.()
  }

  const openQuestion = async (name: string, execution: string): Promise<ApprovalRequest | null> => {
    const open = await runtime.pending({ session: name })
    return open.find((request) => request.execution === execution) ?? null
  }

  /** The outcome of a call that waits: its question, as long as that is open. */
  const ask = async (call: ClientCall, row: ToolResult, name: string): Promise<CallOutcome> => {
    const request = await openQuestion(name, row.execution.id)
    if (request === null) return { is: 'result', result: row }
    waiting.set(keyOf(call), row.execution.id)
    return { is: 'asked', request, notice: row }
  }

  /** What came of a call that was made before and has waited; null if there is none. */
  const find = async (call: ClientCall, execution: string, name: string): Promise<CallOutcome | null> => {
    await runtime.expire(name)
    const row = runtime.rowOf(name, execution)
    if (row !== null && isWaiting(row)) return ask(call, row, name)
    const key = keyOf(call)
    if (waiting.get(key) === execution) waiting.delete(key)
    return row === null ? null : { is: 'result', result: row }
  }

  return {
    session: () => session,
    async call(call, hooks) {
      const leaving = enter()
      try {
        if (leaving !== null) await leaving
        const name = session ?? (await begin())
        const waits = waiting.get(keyOf(call))
        const earlier = waits === undefined ? null : await find(call, waits, name)
        if (earlier !== null) return earlier
        calls += 1
        const asked = { id: `m${calls}`, name: call.name, args: call.args, problems: call.problems }
        const options = { session: name, ...hooks, origin: 'model', turn } as const
        const row = rowOfOnly(await runtime.run([asked], options))
        if (row === null) throw new Error('a call got no row')
        return isWaiting(row) ? await ask(call, row, name) : { is: 'result', result: row }
      } finally {
        leave()
      }
    },
    async lookUp(call, execution) {
      const leaving = enter()
      try {
        if (leaving !== null) await leaving
        return (await find(call, execution, await begin())) ?? gone()
      } finally {
        leave()
      }
    },
    async answer(call, { id: approval, execution }, given, { signal }) {
      const leaving = enter()
      try {
        if (leaving !== null) await leaving
        const name = await begin()
        const request = await openQuestion(name, execution)
        let fault: string | null = null
        // Somebody else may have answered; an answer to another question is none to this one.
        if (request !== null && request.id === approval)
          fault = await decide(runtime, approval, given, { session: name, signal })
        const outcome = (await find(call, execution, name)) ?? gone()
        return fault === null ? outcome : { ...outcome, fault }
      } finally {
        leave()
      }
    },
    async close() {
      const name = await beginning?.catch(() => null)
      // They were cancelled with the connection, and end by rolling back.
      if (busy > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      await rest.end()
      if (name !== undefined && name !== null) await runtime.release(name)
    },
  }
}

function gone(): never {
  throw new Error('the call that was asked about is gone')
}

function isWaiting(row: ToolResult): boolean {
  return !row.ok && row.error.code === 'approval_required'
}

/** What makes a call the same call. */
function keyOf({ name, args }: ClientCall): string {
  return `${name}\n${canonicalJson(args)}`
}

/** Gives the answer of a person; returns why it was not taken, or null. */
async function decide(
  runtime: Runtime,
  approval: string,
  given: PermissionAnswer,
  where: { readonly session: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const { answer, ...rest } = given
  const { faults } = await runtime.decide([approval], { ...where, ...rest, isApproved: answer !== 'deny' })
  return faults[0]?.why ?? null
}
