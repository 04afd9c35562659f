import type { CallMeta, ToolCall } from '../core/call.ts'
import { canonicalJson } from '../core/json/canonical.ts'
import { describeProblem } from '../core/json/problem.ts'
import { scanJsonValue } from '../core/json/scan-value.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { byteLength, ellipsis } from '../core/text/truncate.ts'

/** The longest label a call may carry; it is echoed and recorded, so it is bounded. */
const MAX_ID_CHARS = 256
const SHOWN_ID_CHARS = 64

/** A call as it came in: what could be read of it, and what is wrong with its envelope. */
export interface Received {
  readonly execution: string
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly meta: CallMeta
  /** Asked for by `request_heartbeat`, which is nobody's argument. */
  readonly wantsContinuation: boolean
  readonly envelope: readonly string[]
  /** What the scan found in the arguments. */
  readonly problems: readonly string[]
  readonly onRecord: RecordedArguments
  /** Set where the batch holds this call more often than it may fail in the same way. */
  readonly isRepeated?: boolean
  readonly isFenced?: boolean
}

/** The arguments as they are on record: one text for the same arguments, and its digest. */
export interface RecordedArguments {
  readonly digest: string
  readonly text: string
  readonly bytes: number
}

/** Reads one element of a batch, whatever it is; what cannot be read is said, not thrown. */
export function receive(element: unknown, execution: string, digest: (text: string) => string): Received {
  const envelope: string[] = []
  const given: Readonly<Record<string, unknown>> = isJsonObject(element) ? element : {}
  if (!isJsonObject(element)) envelope.push('a call must be an object with id, name and args')
  const id = typeof given['id'] === 'string' ? given['id'] : ''
  const name = typeof given['name'] === 'string' ? given['name'] : ''
  if (isJsonObject(element)) {
    if (typeof given['id'] !== 'string') envelope.push('id must be a string')
    else if (id === '') envelope.push('id must not be empty')
    else if (id.length > MAX_ID_CHARS)
      envelope.push(`id has ${id.length} characters, at most ${MAX_ID_CHARS} are allowed`)
    if (typeof given['name'] !== 'string') envelope.push('name must be a string')
    else if (name === '') envelope.push(...nameless(given as { readonly problems?: ToolCall['problems'] }))
    if (!isJsonObject(given['args'])) envelope.push('args must be an object')
  }
  const { meta, fault } = readMeta(given['meta'])
  if (fault !== null) envelope.push(fault)
  const raw = isJsonObject(given['args']) ? given['args'] : {}
  const scanned = (given as { readonly problems?: ToolCall['problems'] }).problems
  const problems = scanned ?? scanJsonValue(raw).map((problem) => describeProblem(problem))
  const { args, wantsContinuation } = takeHeartbeat(raw)
  const shownId = id.length > MAX_ID_CHARS ? ellipsis(id, SHOWN_ID_CHARS) : id
  const text = problems.length === 0 ? canonicalJson(args) : JSON.stringify({ unreadable: problems })
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
  return given['isFenced'] === true ? { ...received, isFenced: true } : received
}

/** What was a block of text and could not be read says why; anything else has forgotten its name. */
function nameless({ problems = [] }: { readonly problems?: ToolCall['problems'] }): readonly string[] {
  return problems.length > 0 ? problems : ['name must not be empty']
}

function readMeta(meta: unknown): { readonly meta: CallMeta; readonly fault: string | null } {
  if (meta === undefined) return { meta: {}, fault: null }
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
  const wish = args['request_heartbeat']
  if (typeof wish !== 'boolean') return { args, wantsContinuation: false }
  const { request_heartbeat: _taken, ...rest } = args
  return { args: rest, wantsContinuation: wish }
}
