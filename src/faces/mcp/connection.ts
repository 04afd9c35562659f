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
  readonly onEvent: (event: LiveEvent) => void
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
  /** Answers the question about a call that waits, and goes on with it. */
  readonly answer: (
    call: ClientCall,
    approval: string,
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
  const running = new Set<Promise<unknown>>()
  let restingSince = 0
  const rest = letGoAtRest(runtime, () => (waiting.size === 0 ? session : null))

  const begin = async (): Promise<string> => {
    beginning ??= runtime.begin('mcp-')
    session = await beginning
    return session
  }

  /** Runs in the turn that is under way, or begins one after a rest. */
  const inTurn = async <T>(act: (turn: string) => Promise<T>): Promise<T> => {
    if (running.size === 0 && clock.elapsed() - restingSince > TURN_REST_MS) turn = newId()
    const acting = act(turn)
    running.add(acting)
    try {
      return await acting
    } finally {
      running.delete(acting)
      restingSince = clock.elapsed()
    }
  }

  const openQuestion = async (name: string, execution: string): Promise<ApprovalRequest | null> => {
    const open = await runtime.pending({ session: name })
    return open.find((request) => request.execution === execution) ?? null
  }

  /** The outcome of a call as its row says: one that waits is asked about, everything else is its result. */
  const outcomeOf = async (key: string, row: ToolResult, name: string): Promise<CallOutcome> => {
    const isWaiting = !row.ok && row.error.code === 'approval_required'
    const request = isWaiting ? await openQuestion(name, row.execution.id) : null
    if (request === null) {
      if (!isWaiting) waiting.delete(key)
      return { is: 'result', result: row }
    }
    waiting.set(key, row.execution.id)
    return { is: 'asked', request, notice: row }
  }

  /** What came of a call that was made before and has waited; null if there is none. */
  const lookUp = async (key: string, name: string): Promise<CallOutcome | null> => {
    const execution = waiting.get(key)
    if (execution === undefined) return null
    await runtime.expire(name)
    const row = runtime.rowOf(name, execution)
    if (row === null) {
      waiting.delete(key)
      return null
    }
    return outcomeOf(key, row, name)
  }

  return {
    session: () => session,
    call: (call, { signal, onEvent }) =>
      rest.during(async () => {
        const name = await begin()
        const key = keyOf(call)
        const earlier = await lookUp(key, name)
        if (earlier !== null) return earlier
        calls += 1
        const id = `m${calls}`
        const { problems, args } = call
        const rows = await inTurn((current) =>
          runtime.run([{ id, name: call.name, args, problems }], {
            session: name,
            signal,
            onEvent,
            origin: 'model',
            turn: current,
          }),
        )
        const row = rowOfOnly(rows)
        if (row === null) throw new Error('a call got no row')
        return outcomeOf(key, row, name)
      }),
    answer: (call, approval, given, { signal }) =>
      rest.during(async () => {
        const name = await begin()
        const key = keyOf(call)
        const execution = waiting.get(key)
        const request = execution === undefined ? null : await openQuestion(name, execution)
        let fault: string | null = null
        // Somebody else may have answered; an answer to another question is none to this one.
        if (request !== null && request.id === approval)
          fault = await inTurn(() => decide(runtime, approval, given, { session: name, signal }))
        const outcome = await lookUp(key, name)
        if (outcome !== null) return fault === null ? outcome : { ...outcome, fault }
        throw new Error('the call that was asked about is gone')
      }),
    async close() {
      const name = await beginning?.catch(() => null)
      // They were cancelled with the connection, and end by rolling back.
      await Promise.allSettled(running)
      await rest.end()
      if (name !== undefined && name !== null) await runtime.release(name)
    },
  }
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
