import type { PartialAnswers, ApprovalRequest, Approver } from '../../src/core/approval.ts'
import type { ToolCall } from '../../src/core/call.ts'
import { canMove } from '../../src/core/lifecycle.ts'
import type { State } from '../../src/core/lifecycle.ts'
import type { ToolResult } from '../../src/core/result.ts'
import { object, optional, string } from '../../src/schema/schema.ts'
import type { Claim, Effect, PowersOf, Tool } from '../../src/core/tool.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { simpleTool } from '../harness/simple-tool.ts'

const words = object({ word: optional(string('A word')), path: optional(string('A file')) }, 'Arguments')

interface Words {
  readonly word?: string
  readonly path?: string
}

type Run<E extends Effect> = (args: Words, powers: PowersOf[E]) => unknown
type Changes = Readonly<Record<string, unknown>>

/** A tool that only reads, as far as anybody knows. */
export function reader(name: string, run: Run<'read'>, changes: Changes = {}): Tool {
  return sample('read', name, run, changes)
}

/** A tool that may change files; what it does is up to `run`. */
export function editor(name: string, run: Run<'edit'>, changes: Changes = {}): Tool {
  const claims = ({ path }: Words): readonly Claim[] =>
    path === undefined ? [] : [{ path, intent: 'write' }]
  return sample('edit', name, run, { claims, ...changes })
}

/** A tool that acts outside the machine, so that every run of it counts. */
export function outsider(name: string, run: Run<'external'>, changes: Changes = {}): Tool {
  return sample('external', name, run, changes)
}

function sample<E extends Effect>(effect: E, name: string, run: Run<E>, changes: Changes): Tool {
  return simpleTool(name, run as () => unknown, { effect, version: '1.0.0', input: words, ...changes })
}

/** Writes its word into its file, in a transaction. */
export const writer = editor('writer', ({ word = '', path = 'out.txt' }, { edits }) => {
  edits.write(path, new TextEncoder().encode(word))
  return { said: word }
})

/** Says its word again. */
export const echo = reader('echo', ({ word = '' }) => ({ said: word }))

/** Makes a batch of calls with the ids c1, c2 and so on. */
export function batchOf(...calls: readonly (readonly [name: string, args?: unknown])[]): readonly ToolCall[] {
  return calls.map(([name, args = {}], index) => ({ id: `c${index + 1}`, name, args }))
}

/** An approver that keeps what it was asked. */
export function asked(
  answer: (requests: readonly ApprovalRequest[]) => PartialAnswers,
): Approver & { readonly questions: ApprovalRequest[][] } {
  const questions: ApprovalRequest[][] = []
  const approve: Approver = (requests) => {
    questions.push([...requests])
    return answer(requests)
  }
  return Object.assign(approve, { questions })
}

/** Says yes to everything. */
export function agreeing() {
  return asked((requests) => requests.map(() => 'once' as const))
}

/** What became of each call, in one word. */
export function outcomes(results: readonly ToolResult[]): readonly string[] {
  return results.map((result) => (result.ok ? 'ok' : result.error.code))
}

/** The way of every settled call, by its id in the batch, read back from the log. */
export function waysOf(runtime: Runtime): ReadonlyMap<string, readonly State[]> {
  const ids = new Map<string, string>()
  const ways = new Map<string, readonly State[]>()
  for (const { entry } of runtime.log()) {
    if (entry.kind === 'batch') for (const { execution, id } of entry.calls) ids.set(execution, id)
    if (entry.kind === 'settled')
      ways.set(
        ids.get(entry.execution) ?? '',
        entry.moves.map(({ state }) => state),
      )
  }
  return ways
}

/** The first illegal move of a way, or null. */
export function findIllegal(way: readonly State[]): string | null {
  if (way[0] !== 'DECLARED') return `begins with ${String(way[0])}`
  for (const [index, state] of way.entries()) {
    const next = way[index + 1]
    if (next !== undefined && !canMove(state, next)) return `${state} -> ${next}`
  }
  return null
}
