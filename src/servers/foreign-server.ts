import type { Clock } from '../core/clock.ts'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { AnswerLost, SignInWanted } from './connect.ts'
import type { Connection, SentCall } from './connect.ts'
import { fingerprint, readDefinitions } from './definition.ts'
import type { Definition, ReadDefinitions } from './definition.ts'
import { definitionChanged, inDoubt, sawTooMuch } from './server-failures.ts'

/** What a server needs to be reached. */
export interface ForeignServerDeps {
  readonly name: string
  readonly clock: Clock
  /** Opens a new connection; `onChange` is told that the tools may have changed. */
  readonly open: (onChange: () => void) => Promise<Connection>
  /** Records why the server failed; null when it works. */
  readonly noteError: (why: string | null) => void
  /** Told what the server lists, each time that it was asked. */
  readonly onListed?: (listed: ReadDefinitions) => void
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** A server that says again and again that its tools have changed is asked this often at most. */
const LIST_REST_MS = 1_000
const MOST_ERROR_CHARS = 500

/** A call of one of its tools. */
export type ForeignCall = Omit<SentCall, 'tool' | 'inputSchema'> & {
  /** Whether it may do something, and not only read. */
  readonly mayAct: boolean
}

/** A connection and what the server listed on it; each change that it reports makes the listing void. */
interface Session {
  readonly connection: Connection
  listed: ReadDefinitions | null
  changes: number
}

/**
 * One foreign server. It is started by the first call, started again after it ended, and after failures only once a pause
 * has passed that doubles each time; until then calls fail at once.
 */
export class ForeignServer {
  readonly #deps: ForeignServerDeps
  #opening: Promise<Session> | null = null
  #failures = 0
  #pausedUntilMs = 0
  #lastError = ''
  #isClosed = false
  /** The calls under way, each until it is over. */
  readonly #running = new Set<Promise<void>>()
  #entering: Promise<void> = Promise.resolve()
  #isListingSoon = false

  constructor(deps: ForeignServerDeps) {
    this.#deps = deps
  }

  /** What the server lists now. */
  async list(): Promise<ReadDefinitions> {
    const session = await this.#session()
    if (session.listed !== null) return session.listed
    const { changes } = session
    const { connection } = session
    const found = await this.#guarded(session, () => connection.list())
    const listed = readDefinitions(found, connection.hasHeaders)
    // What changed while it was listed is listed anew by the next call.
    if (session.changes === changes) session.listed = listed
    this.#deps.onListed?.(listed)
    return listed
  }

  /** Calls a tool, if the server still defines it as it was trusted. */
  async call(pinned: Definition, call: ForeignCall): Promise<unknown> {
    const leave = await this.#enter(call.signal)
    try {
      return await this.#callNow(pinned, call)
    } finally {
      leave()
    }
  }

  async #callNow(pinned: Definition, { mayAct, ...call }: ForeignCall): Promise<unknown> {
    const { signal } = call
    const listed = await untilAborted(this.list(), signal)
    const now = listed.tools.find(({ name }) => name === pinned.name)
    if (now === undefined || fingerprint(now) !== fingerprint(pinned))
      throw definitionChanged(this.#deps.name, pinned, now ?? null)
    const session = await untilAborted(this.#session(), signal)
    const result = await this.#guarded(
      session,
      () => session.connection.call({ ...call, tool: pinned.name, inputSchema: pinned.inputSchema }),
      { signal, mayAct },
    )
    if (this.#failures > 0) this.#deps.noteError(null)
    this.#failures = 0
    const late = session.connection.findUnhidden('after')
    if (late !== null) throw sawTooMuch(this.#deps.name, late)
    return result
  }

  /**
   * Lets a call in, one after the other: if a denied file came that the running server could read, it ends first and is
   * started again by the call. Calls that are under way may finish. Returns what the call does when it is over.
   */
  async #enter(signal: AbortSignal): Promise<() => void> {
    const entering = this.#entering.then(async () => {
      if (!signal.aborted) await this.#endIfUnhidden()
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#running.add(promise)
      return () => {
        this.#running.delete(promise)
        resolve()
      }
    })
    this.#entering = entering.then(
      () => undefined,
      () => undefined,
    )
    try {
      return await untilAborted(entering, signal)
    } catch (error) {
      void entering.then((leave) => leave()).catch(() => undefined)
      throw error
    }
  }

  async #endIfUnhidden(): Promise<void> {
    const opening = this.#opening
    const opened = await opening?.catch(() => null)
    if (opened === undefined || opened === null || opened.connection.endedBy() !== null) return
    if (opened.connection.findUnhidden('before') === null) return
    await Promise.all(this.#running)
    if (this.#opening === opening) this.#opening = null
    await opened.connection.close()
  }

  /** Ends it once the calls that are under way are over. */
  async retire(): Promise<void> {
    await Promise.allSettled(this.#running)
    await this.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opening = this.#opening
    this.#opening = null
    await (await opening?.catch(() => null))?.connection.close()
  }

  async #session(): Promise<Session> {
    const opened = await this.#opening?.catch(() => null)
    if (opened !== undefined && opened !== null && opened.connection.endedBy() === null) return opened
    if (this.#isClosed) throw this.#failure('it was closed')
    const { clock } = this.#deps
    const waitMs = this.#pausedUntilMs - clock.elapsed()
    if (waitMs > 0)
      throw this.#failure(`${this.#lastError}; it is tried again in ${Math.ceil(waitMs / 1000)} s`)
    this.#opening = this.#open()
    return this.#opening
  }

  async #open(): Promise<Session> {
    let session: Session | null = null
    const onChange = (): void => {
      if (session === null) return
      session.listed = null
      session.changes += 1
      this.#listSoon(session)
    }
    try {
      session = { connection: await this.#deps.open(onChange), listed: null, changes: 0 }
      return session
    } catch (error) {
      if (error instanceof SignInWanted) throw this.#wantsSignIn()
      throw this.#fail(messageOf(error))
    }
  }

  /** Lists what has changed without being asked by a call, so that people and models see what is still trusted. */
  #listSoon(session: Session): void {
    if (this.#isListingSoon) return
    this.#isListingSoon = true
    setTimeout(() => {
      this.#isListingSoon = false
      // One that has ended is not started for this.
      if (this.#isClosed || session.connection.endedBy() !== null) return
      this.list().catch(() => undefined)
    }, LIST_REST_MS).unref()
  }

  /** Runs a request; what ended the connection is the reason for a failure, if something did. */
  async #guarded<T>(
    session: Session,
    request: () => Promise<T>,
    { signal, mayAct = false }: Partial<Pick<ForeignCall, 'signal' | 'mayAct'>> = {},
  ): Promise<T> {
    try {
      return await request()
    } catch (error) {
      signal?.throwIfAborted()
      if (session.connection.isSignInWanted()) throw this.#wantsSignIn()
      const ended = session.connection.endedBy()
      const failed =
        ended === null
          ? failure(
              'execution_failed',
              `The MCP server ${this.#deps.name} answers: ${clean(messageOf(error))}`,
              { server: this.#deps.name },
            )
          : this.#fail(`it ended during the request: ${ended}`)
      throw mayAct && error instanceof AnswerLost ? inDoubt(failed) : failed
    }
  }

  #fail(why: string): ToolFailure {
    const { clock, noteError } = this.#deps
    this.#lastError = clean(why)
    this.#pausedUntilMs = clock.elapsed() + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures += 1
    this.#opening = null
    noteError(this.#lastError)
    return this.#failure(this.#lastError)
  }

  /** The user may sign in meanwhile, so the next call tries again at once. */
  #wantsSignIn(): Error {
    const { name, noteError } = this.#deps
    const command = `tongs mcp login ${name}`
    noteError(`it wants you to sign in; run ${command}`)
    return failure(
      'execution_failed',
      `The MCP server ${name} wants the user to sign in.`,
      { server: name },
      [`Ask the user to run: ${command}`],
    )
  }

  #failure(why: string): ToolFailure {
    const { name } = this.#deps
    return failure('execution_failed', `The MCP server ${name} failed: ${why}.`, { server: name }, [
      `See tongs mcp list; what the server printed is in the state folder, in mcp/${name}.stderr.`,
    ])
  }
}

function clean(text: string): string {
  const shown: string = sanitise(text.slice(0, MOST_ERROR_CHARS * 2)).trim()
  return shown.slice(0, MOST_ERROR_CHARS).replace(/\.$/, '')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The result of a promise, or the reason of the signal if that comes first: a server that hangs holds up no call. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
