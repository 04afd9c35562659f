import { describeProblem, scanJsonText } from '../core/json/scan.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { ToolResult } from '../core/result.ts'

/** A call from a fenced block; its problems settle it as bad arguments. */
export interface FencedCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
  readonly meta?: JsonObject
  readonly problems: readonly string[]
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*(.*)$/s

/** The role of a line: text, or the opening, body or closing of a call block. */
type Role = 'text' | 'opening' | 'body' | 'closing'

/** The calls in an assistant's text, in order. Only complete blocks count; one block holds one call. */
export function parseFencedCalls(text: string): readonly FencedCall[] {
  const calls: FencedCall[] = []
  let body: string[] = []
  for (const [line, role] of assignRoles(text)) {
    if (role === 'opening') body = []
    if (role === 'body') body.push(line)
    if (role === 'closing') calls.push(readBlock(body.join('\n'), calls.length + 1))
  }
  return calls
}

/** Assigns a role to each line. A block inside another fence is a quotation and is not run. */
function* assignRoles(text: string): Generator<readonly [line: string, role: Role]> {
  let fence: string | null = null
  let isCall = false
  for (const whole of text.split('\n')) {
    const line = whole.replace(/\r$/, '')
    const [, marks = '', word = ''] = FENCE.exec(line) ?? []
    const isOpening = fence === null && marks !== '' && !(marks.startsWith('`') && word.includes('`'))
    const isClosing = fence !== null && word === '' && marks.startsWith(fence)
    if (isOpening) {
      fence = marks
      isCall = marks.startsWith('`') && word.trimEnd() === 'tool-call'
    }
    const role: Role = isOpening ? 'opening' : isClosing ? 'closing' : 'body'
    yield [line, isCall && fence !== null ? role : 'text']
    if (isClosing) fence = null
  }
}

function readBlock(body: string, number: number): FencedCall {
  const label = `block-${number}`
  const scan = scanJsonText(body, { argsAt: 1 })
  if (!scan.ok)
    return broken(
      label,
      `the block is not valid JSON: ${scan.message} at line ${scan.line}, column ${scan.column}; one block holds one object`,
    )
  if (!isJsonObject(scan.value)) return broken(label, 'the block must hold one object with id, name and args')
  const { id, name, args, meta } = scan.value
  const problems = scan.problems.map(describeProblem)
  for (const [key, value] of Object.entries({ id, name }))
    if (value === undefined || value === '') problems.push(`${key} is missing`)
    else if (typeof value !== 'string') problems.push(`${key} must be a string, not ${describeKind(value)}`)
  if (!isJsonObject(args)) problems.push('args is missing or not an object')
  if (meta !== undefined && !isJsonObject(meta)) problems.push('meta must be an object')
  return {
    id: typeof id === 'number' ? String(id) : typeof id === 'string' && id !== '' ? id : label,
    name: typeof name === 'string' ? name : '',
    args: isJsonObject(args) ? args : {},
    ...(isJsonObject(meta) ? { meta } : {}),
    problems,
  }
}

function describeKind(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function broken(id: string, problem: string): FencedCall {
  return { id, name: '', args: {}, problems: [problem] }
}

/** A call as a fenced block, for a model that sees calls as text. */
export function formatFencedCall(id: string, name: string, argsText: string): string {
  return formatFenced(
    'tool-call',
    `{"id": ${JSON.stringify(id)}, "name": ${JSON.stringify(name)}, "args": ${argsText || '{}'}}`,
  )
}

/** Text as a fenced block. The fence is longer than any run of backticks in the text, so the text cannot close it. */
export function formatFenced(word: string, body: string): string {
  const longest = (body.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}${word}\n${body}\n${marks}`
}

/** What is left of a shortened result, as a fenced block: as JSON, because it holds names and lines of others. */
export function formatFencedShort({ id, name, ok }: ToolResult, shortened: string): string {
  return formatFenced('tool-result', JSON.stringify({ id, name, ok, shortened }, null, 2))
}

/** A result as a fenced block. */
export function formatFencedResult(result: ToolResult): string {
  const { id, name, warnings } = result
  const told = warnings === undefined ? {} : { warnings }
  const body = result.ok
    ? { id, name, ok: true, result: result.result, ...told }
    : {
        id,
        name,
        ok: false,
        error: {
          type: result.error.type,
          message: result.error.message,
          details: result.error.details,
          recovery: result.error.recovery,
        },
        ...told,
      }
  return formatFenced('tool-result', JSON.stringify(body, null, 2))
}
