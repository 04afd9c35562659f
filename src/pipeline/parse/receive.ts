import type { CallMeta, ToolCall } from '../../core/call.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { describeProblem } from '../../core/json/problem.ts'
import { scanJsonValue } from '../../core/json/scan-value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { byteLength, ellipsis } from '../../core/text/truncate.ts'
import type { Received } from '../step.ts'

/** The longest label a call may carry; it is echoed and recorded, so it is bounded. */
const MAX_ID_CHARS = 256
const SHOWN_ID_CHARS = 64

const NOTHING: readonly never[] = []

/** Reads one element of a batch, whatever it is; faults are returned, not thrown. */
export function receive(element: unknown, execution: string, digest: (text: string) => string): Received {
  const given: Given = isJsonObject(element) ? element : {}
  const id = typeof given.id === 'string' ? given.id : ''
  const name = typeof given.name === 'string' ? given.name : ''
  const { meta, fault } = readMeta(given.meta)
  const faults = findFaults(element, given, id, name)
  const envelope = fault === null ? faults : [...faults, fault]
  const raw = isJsonObject(given.args) ? given.args : {}
  const problems = given.problems ?? scanArguments(raw)
  const { args: taken, wantsContinuation } = takeHeartbeat(raw)
  const shownId = id.length > MAX_ID_CHARS ? ellipsis(id, SHOWN_ID_CHARS) : id
  const text = problems.length === 0 ? canonicalJson(taken) : JSON.stringify({ unreadable: problems })
  // The caller's object could change after it is on record, or be a proxy; what runs is what is on record.
  const args = problems.length === 0 ? (JSON.parse(text) as JsonObject) : taken
  const onRecord = { digest: digest(text), text, bytes: byteLength(text) }
  const received = {
    execution,
    id: shownId,
    name,
    args,
    meta,
    wantsContinuation,
    envelope,
    problems,
    onRecord,
  }
  return given.isFenced === true ? { ...received, isFenced: true } : received
}

/** The fields an element may have; none of them is checked yet. */
interface Given {
  readonly id?: unknown
  readonly name?: unknown
  readonly args?: unknown
  readonly meta?: unknown
  readonly isFenced?: unknown
  readonly problems?: ToolCall['problems']
}

function scanArguments(args: JsonObject): readonly string[] {
  const problems = scanJsonValue(args)
  return problems.length === 0 ? NOTHING : problems.map((problem) => describeProblem(problem))
}

/** Faults of the envelope; usually none. */
function findFaults(element: unknown, given: Given, id: string, name: string): readonly string[] {
  if (id !== '' && id.length <= MAX_ID_CHARS && name !== '' && isJsonObject(given.args)) return NOTHING
  if (!isJsonObject(element)) return ['a call must be an object with id, name and args']
  const faults: string[] = []
  if (typeof given.id !== 'string') faults.push('id must be a string')
  else if (id === '') faults.push('id must not be empty')
  else if (id.length > MAX_ID_CHARS)
    faults.push(`id has ${id.length} characters; at most ${MAX_ID_CHARS} are allowed`)
  if (typeof given.name !== 'string') faults.push('name must be a string')
  else if (name === '') faults.push(...nameless(given))
  if (!isJsonObject(given.args)) faults.push('args must be an object')
  return faults
}

/** A fenced block that could not be read says why; any other call just lacks its name. */
function nameless({ problems = NOTHING }: Given): readonly string[] {
  return problems.length > 0 ? problems : ['name must not be empty']
}

interface ReadMeta {
  readonly meta: CallMeta
  readonly fault: string | null
}

const NO_META: ReadMeta = { meta: {}, fault: null }

function readMeta(meta: unknown): ReadMeta {
  if (meta === undefined) return NO_META
  if (!isJsonObject(meta)) return { meta: {}, fault: 'meta must be an object' }
  const { cwd, timeout } = meta
  if (cwd !== undefined && typeof cwd !== 'string') return { meta: {}, fault: 'meta.cwd must be a string' }
  if (timeout !== undefined && (typeof timeout !== 'number' || !(timeout > 0))) {
    return { meta: {}, fault: 'meta.timeout must be a positive number of seconds' }
  }
  return {
    meta: { ...(cwd === undefined ? {} : { cwd }), ...(timeout === undefined ? {} : { timeout }) },
    fault: null,
  }
}

function takeHeartbeat(args: JsonObject): { readonly args: JsonObject; readonly wantsContinuation: boolean } {
  const requested = args['request_heartbeat']
  if (typeof requested !== 'boolean') return { args, wantsContinuation: false }
  const { request_heartbeat: _taken, ...rest } = args
  return { args: rest, wantsContinuation: requested }
}
