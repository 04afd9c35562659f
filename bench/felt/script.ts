import type { App, NamedCall } from '../../eval/runners/apps.ts'
import type { Answer } from '../../eval/server/chat.ts'

const FILES = 6
const LINES = 120

/** The files that the scripted session works on. */
export function sessionFiles(): Readonly<Record<string, string>> {
  const body = Array.from({ length: LINES }, (_, at) => `export const value${at} = ${at}\n`).join('')
  const sources = Array.from({ length: FILES }, (_, at) => [`part${at}.mjs`, `// part ${at}: old\n${body}`])
  return Object.fromEntries(sources) as Readonly<Record<string, string>>
}

/** What the same files hold when every call has done its work. */
export function isDone(read: (name: string) => string): boolean {
  return Object.keys(sessionFiles()).every((name) => read(name).includes(': new\n'))
}

/** Twenty calls, one with each message: all files read, edited, run, and read again. */
export function sessionCalls(app: App): readonly NamedCall[] {
  const names = Object.keys(sessionFiles())
  const run = app.command(`node ${names[0] ?? ''}`, 'Run a part')
  return [
    ...names.map((name) => app.read(name)),
    ...names.map((name, at) => app.edit(name, `part ${at}: old`, `part ${at}: new`)),
    run,
    ...names.map((name) => app.read(name)),
    run,
  ]
}

/** When a request came, and when its answer was sent. */
export interface Exchanged {
  readonly askedAt: number
  readonly answeredAt: number
}

/** A model that asks for one call after the other, and takes down the times. */
export function scriptModel(calls: readonly NamedCall[]) {
  const exchanges: Exchanged[] = []
  const answers = calls.map(([name, args], at): Answer => {
    return { text: `Step ${at + 1}.`, calls: [{ id: `c${at}`, name, args: JSON.stringify(args) }] }
  })
  const source = (body: string): Promise<Answer> => {
    const askedAt = performance.now()
    const { tools, messages } = JSON.parse(body) as {
      readonly tools?: readonly unknown[]
      readonly messages: readonly { readonly role: string }[]
    }
    // A request for a title of the conversation.
    if (tools === undefined || tools.length === 0) return Promise.resolve({ text: 'Parts', calls: [] })
    const done = messages.filter(({ role }) => role === 'tool').length
    exchanges.push({ askedAt, answeredAt: performance.now() })
    return Promise.resolve(answers[done] ?? { text: 'Done.', calls: [] })
  }
  return { source, exchanges }
}
