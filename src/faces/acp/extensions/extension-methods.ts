import type { AgentApp, MaybePromise } from '@agentclientprotocol/sdk'
import { readAnswer } from '../../../core/approval.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import { rowOfOnly } from '../../../core/result.ts'
import { readStored } from '../../../pipeline/memory/stored-values.ts'
import type { EditorSession } from '../editor-session.ts'
import { invalid, refused } from '../explain-error.ts'
import { continueTurn } from '../prompt.ts'
import { decide } from '../questions/ask-again.ts'
import { recover } from '../questions/ask-recovery.ts'
import { sayAnswered } from '../questions/open-questions.ts'
import type { GivenAnswer } from '../questions/open-questions.ts'
import type { SessionTable } from '../session-table.ts'
import { registerTools } from './client-tools.ts'
import { Params } from './read-params.ts'
import { revert } from './revert-method.ts'

/** A method beyond the protocol, for one session. */
interface Method {
  readonly says: string
  /** Its parameters besides `sessionId`, and what it answers. */
  readonly takes: string
  readonly gives: string
  readonly run: (session: EditorSession, params: Params, signal: AbortSignal) => unknown
}

const METHODS: Readonly<Record<string, Method>> = {
  '_tongs/pending': {
    says: 'questions that wait for an answer, and calls that wait for a result',
    takes: '',
    gives: 'approvals, held',
    run: async (session, params) => {
      params.end()
      const held = await session.runtime.held({ session: session.id })
      return { approvals: await session.pending(), held }
    },
  },
  '_tongs/answer': {
    says: 'answers a question, whether it is being asked or waits; the last answer of a batch runs it',
    takes: 'approval, answer, say?, hunks?, seconds?, scope?',
    gives: 'taken, results, open, faults',
    run: async (session, params, signal) => {
      const approval = params.text('approval')
      const given = readGiven(params)
      const ended = session.questions.answer(approval, given)
      if (ended.is === 'taken') return { taken: true, results: [], open: [], faults: [] }
      if (ended.is === 'overtaken' && ended.first !== 'later')
        return {
          taken: false,
          results: [],
          open: [],
          faults: [{ id: approval, why: sayAnswered(ended.first) }],
        }
      if (given === 'later') return { taken: false, results: [], open: [], faults: [] }
      return session.exclusively(async () => {
        const { results, open, faults } = await decide(session, approval, given, signal)
        return { taken: faults.length === 0, results, open: open.map(({ id }) => id), faults }
      })
    },
  },
  '_tongs/continue': {
    says: 'goes on with an unfinished turn, as a prompt without words',
    takes: '',
    gives: 'what session/prompt answers',
    run: (session, params, signal) => {
      params.end()
      return continueTurn(session, signal)
    },
  },
  '_tongs/steer': {
    says: 'sends words to the running turn: the running call finishes, later ones are skipped',
    takes: 'text',
    gives: 'sent',
    run: (session, params) => {
      const text = params.text('text')
      params.end()
      return { sent: session.conversation?.steer(text) ?? false }
    },
  },
  '_tongs/undo': {
    says: 'takes back committed changes; with dryRun, only shows them; with shown, exactly those that were shown',
    takes: 'dryRun?, shown?, calls?, last?, turn?, merge?, except?',
    gives: 'ok, session, calls, files, folders?, drifted, diff?, message, shown?',
    run: (session, params) => revert('undo', session, params),
  },
  '_tongs/redo': {
    says: 'brings back what the last undo took back; dryRun and shown as above',
    takes: 'dryRun?, shown?',
    gives: 'ok, session, calls, files, folders?, drifted, diff?, message, shown?',
    run: (session, params) => revert('redo', session, params),
  },
  '_tongs/call': {
    says: 'runs one tool call of the person at the editor through the whole pipeline',
    takes: 'name, args?',
    gives: 'a result, as tongs call --json prints it',
    run: (session, params, signal) => {
      const [name, args] = [params.text('name'), params.object('args')]
      params.end()
      return runCall(session, name, args, signal)
    },
  },
  '_tongs/tools/list': {
    says: 'the tools of the session',
    takes: '',
    gives: 'tools',
    run: (session, params) => {
      params.end()
      return { tools: session.runtime.definitions() }
    },
  },
  '_tongs/tools/register': {
    says: 'makes functions of the client tools of the session, in place of those it registered before',
    takes: 'tools',
    gives: 'tools',
    run: (session, params) => {
      const tools = params.objects('tools')
      params.end()
      return registerTools(session, tools)
    },
  },
  '_tongs/tasks': {
    says: 'the work items of the session, with their places in the code',
    takes: '',
    gives: 'todos, tasks',
    run: (session, params) => {
      params.end()
      const { log } = session.source
      return { todos: itemsOf(readStored(log, 'todos')), tasks: itemsOf(readStored(log, 'tasks')) }
    },
  },
  '_tongs/log': {
    says: 'the newest entries of the log, oldest first',
    takes: 'last?',
    gives: 'entries',
    run: (session, params) => {
      const last = params.count('last') ?? MOST_ENTRIES
      params.end()
      return {
        entries: [...session.runtime.log({ session: session.id, last: Math.min(last, MOST_ENTRIES) })],
      }
    },
  },
  '_tongs/why': {
    says: 'which gate decided a call, and on what',
    takes: 'call',
    gives: 'calls',
    run: (session, params) => {
      const call = params.text('call')
      params.end()
      return { calls: session.runtime.why(call) }
    },
  },
  '_tongs/recover': {
    says: 'what an interrupted turn left; with a choice, also settles it',
    takes: 'choice? (resume or discard)',
    gives: 'interrupted',
    run: async (session, params) => {
      const choice = params.optionalText('choice')
      params.end()
      if (choice === null)
        return { interrupted: (await (await session.requireConversation()).recovery()) ?? null }
      if (choice !== 'resume' && choice !== 'discard') throw invalid('choice must be resume or discard.')
      return { interrupted: await session.exclusively(() => recover(session, choice)) }
    },
  },
  '_tongs/output': {
    says: 'what a running command has written, from a place on',
    takes: 'call, from?',
    gives: 'text, from, next, is_over',
    run: (session, params) => {
      const [call, from] = [params.text('call'), params.count('from') ?? 0]
      params.end()
      const part = session.report.outputs.read(call, from)
      if (part === null) throw invalid(`Call ${call} has written nothing in this connection.`)
      return part
    },
  },
}

const MOST_ENTRIES = 1000

/** The methods beyond the protocol, as a client is told of them. */
export const EXTENSION_METHODS: readonly string[] = Object.keys(METHODS)

/** The same as rows of a table. */
export function describeMethods(): readonly (Pick<Method, 'says' | 'takes' | 'gives'> & { name: string })[] {
  return Object.entries(METHODS).map(([name, { says, takes, gives }]) => ({ name, says, takes, gives }))
}

/** Adds them to the agent. */
export function registerExtensions(
  app: AgentApp,
  sessions: SessionTable,
  guarded: <T>(act: () => MaybePromise<T>) => Promise<T>,
): AgentApp {
  for (const [name, { run }] of Object.entries(METHODS))
    app.onRequest<unknown, unknown>(
      name,
      (params) => params,
      ({ params, signal }) =>
        guarded(() => {
          const read = new Params(params)
          return run(sessions.find(read.session), read, signal)
        }),
    )
  return app
}

/** Reads an answer as `session/request_permission` could not give it. */
function readGiven(params: Params): GivenAnswer {
  const [answer, say, seconds] = [params.text('answer'), params.optionalText('say'), params.count('seconds')]
  const given = params.rest('hunks', 'scope')
  params.end()
  if (answer === 'later') return answer
  const whole = {
    answer,
    ...given,
    ...(say === null ? {} : { say }),
    ...(seconds === null ? {} : { seconds }),
  }
  const { refusal, say: why } = readAnswer(whole)
  if (refusal === 'unclear') throw invalid(`This is not an answer: ${why ?? 'it makes no sense'}.`)
  return whole as GivenAnswer
}

function runCall(
  session: EditorSession,
  name: string,
  args: JsonObject,
  signal: AbortSignal,
): Promise<unknown> {
  return session.exclusively(async (stop) => {
    session.noteUse()
    const id = `editor-${Date.now().toString(36)}`
    // Events come faster than they can be sent; they are sent in order all the same.
    let sending: Promise<void> = Promise.resolve()
    const rows = await session.runtime.run([{ id, name, args }], {
      session: session.id,
      signal: stop.signal,
      onEvent: (event) => {
        // What cannot be shown is in the result and in the log.
        sending = sending.then(() => session.report.onLive(event)).catch(() => undefined)
      },
    })
    await sending
    return rowOfOnly(rows) ?? refused('The call has no result.', [])
  }, signal)
}

function itemsOf(stored: unknown): readonly unknown[] {
  if (typeof stored !== 'object' || stored === null || !('items' in stored)) return []
  return Array.isArray(stored.items) ? (stored.items as readonly unknown[]) : []
}
