import { describeProblem } from '../core/json/problem.ts'
import { MAX_DEPTH, scanJsonText } from '../core/json/scan.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { readFrame } from '../wire/json-rpc/frame.ts'
import type { Frame } from '../wire/json-rpc/frame.ts'

/** Under this name stands why a tool of a listing was taken out of it; a server that says so itself gets what it wants. */
export const TAKEN_OUT = 'tongs/taken-out'

/** The keys and the index that lead to a tool of a listing. */
const LISTED_AT = ['result', 'tools', 0] as const
/** The arguments of a call begin a level higher, and nothing may be nested deeper here than there. */
const DEEPEST = MAX_DEPTH - 1

/** A message, and whether something was taken out of it. */
export type ServerFrame = Frame & { readonly isAltered?: true }

/**
 * Reads a message of a server. A tool of a listing that is nested too deeply, or is ambiguous, is taken out of it by
 * itself: the others can be used. Anything else of that kind is no message.
 */
export function readServerFrame(text: string): ServerFrame {
  const frame = readFrame(text)
  if (frame.ok) return frame
  const scan = scanJsonText(text, { argsAt: LISTED_AT.length, maxDepth: DEEPEST })
  if (!scan.ok || scan.problems.length === 0 || !isJsonObject(scan.value)) return frame
  const { result } = scan.value
  const tools = isJsonObject(result) ? result['tools'] : undefined
  if (!isJsonObject(result) || !Array.isArray(tools)) return frame
  const faults = new Map<number, string>()
  for (const problem of scan.problems) {
    const [first, second, at] = problem.pointer
    if (first !== LISTED_AT[0] || second !== LISTED_AT[1] || typeof at !== 'number') return frame
    if (!faults.has(at)) faults.set(at, describeProblem(problem))
  }
  const kept = tools.map((tool: JsonValue, at) => takeOut(tool, faults.get(at)))
  const listing = readFrame(JSON.stringify({ ...scan.value, result: { ...result, tools: kept } }))
  return { ...listing, isAltered: true }
}

function takeOut(tool: JsonValue, fault: string | undefined): JsonValue {
  if (fault === undefined) return tool
  const name = isJsonObject(tool) && typeof tool['name'] === 'string' ? { name: tool['name'] } : {}
  return { ...name, [TAKEN_OUT]: fault } satisfies JsonObject
}
