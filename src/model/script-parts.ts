import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { ModelMessage, ModelRequest } from './model-client.ts'
import { findPlace } from './script-place.ts'
import type { ScriptedCall, ScriptedMessage } from './script-place.ts'

const NOTHING: ScriptedMessage = { text: '', calls: [] }

/** Where a delegated conversation takes its messages from: those behind the message that begins it. */
interface Origin {
  readonly messages: ScriptedMessage[]
  readonly beginning: ScriptedMessage
}

/** The messages of one conversation, and how far they were played. */
class Part {
  readonly messages: ScriptedMessage[]
  readonly #origin: Origin | null
  #last = -1

  constructor(messages: readonly ScriptedMessage[], origin: Origin | null) {
    this.messages = [...messages]
    this.#origin = origin
  }

  next(request: ModelRequest): ScriptedMessage {
    const spoken = request.messages.filter(({ role }) => role === 'assistant').length
    while (this.messages.length <= spoken && this.#take()) continue
    this.#last = findPlace(this.messages, request, this.#last + 1)
    return this.messages[this.#last] ?? NOTHING
  }

  /** Takes all that is left for it: up to the first message without calls. */
  complete(): void {
    while (this.messages.at(-1)?.calls.length !== 0 && this.#take()) continue
  }

  /** Where a conversation that one of its messages begins takes its own from; null if there is no such message. */
  originFor(task: string): Origin | null {
    const beginning = this.messages.find(({ calls }) => calls.some((call) => taskOf(call) === task))
    if (beginning === undefined) return null
    return this.#origin ?? { messages: this.messages, beginning }
  }

  #take(): boolean {
    if (this.#origin === null) return false
    const { messages, beginning } = this.#origin
    const [taken] = messages.splice(messages.indexOf(beginning) + 1, 1)
    if (taken !== undefined) this.messages.push(taken)
    return taken !== undefined
  }
}

/** The messages of a script, apart for the conversation itself and for each one that it delegates. */
export class ScriptParts {
  readonly #own: Part
  readonly #delegated: Map<string, Part>

  constructor(own: readonly ScriptedMessage[], delegates: ReadonlyMap<string, readonly ScriptedMessage[]>) {
    this.#own = new Part(own, null)
    this.#delegated = new Map([...delegates].map(([task, messages]) => [task, new Part(messages, null)]))
  }

  /** The part that a request is answered from: that of its task if it belongs to a delegated conversation. */
  of({ messages, isDelegated }: ModelRequest): Part {
    const [first] = messages
    const part = isDelegated === true && first?.role === 'user' ? this.#forTask(first.text) : this.#own
    // What was delegated in another process is not for the conversation around it either.
    for (const task of heldTasks(messages)) this.#forTask(task).complete()
    return part
  }

  #forTask(task: string): Part {
    const known = this.#delegated.get(task)
    if (known !== undefined) return known
    const around = [this.#own, ...this.#delegated.values()]
    const origin = around.map((part) => part.originFor(task)).find((found) => found !== null)
    // A script that does not delegate the task itself is that of a role.
    if (origin === undefined) return this.#own
    const part = new Part([], origin)
    this.#delegated.set(task, part)
    return part
  }
}

/** The tasks of delegated conversations that were held: of calls whose result is not an error. */
function heldTasks(messages: readonly ModelMessage[]): readonly string[] {
  const answered = new Set(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.flatMap(({ id, isError }) => (isError ? [] : [id])) : [],
    ),
  )
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => {
          if (part.type !== 'call' || !answered.has(part.id)) return []
          return taskOf(part) ?? []
        })
      : [],
  )
}

function taskOf({ name, argsText }: Pick<ScriptedCall, 'name' | 'argsText'>): string | null {
  if (name !== 'delegate') return null
  const args = parseJson(argsText)
  return isJsonObject(args) && typeof args['task'] === 'string' ? args['task'] : null
}
