import { spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'
import { failure } from '../../core/error.ts'
import { tryTo } from '../system/try-to.ts'
import type { NamedPipe, PipesEvent, SpawnerEvent, SpawnerRequest } from './spawner-messages.ts'

/** A connection to the process that starts commands. */
export interface Spawner {
  readonly send: (request: SpawnerRequest) => void
  /** Calls back with every event of one command; null when the spawner is gone. */
  readonly subscribe: (id: number, onEvent: (event: SpawnerEvent | null) => void) => void
  readonly unsubscribe: (id: number) => void
  /** Two unused pipes; the caller closes its ends. */
  readonly takePipes: () => Promise<readonly [Pipe, Pipe]>
  readonly isGone: () => boolean
  readonly close: () => Promise<void>
}

/** A pipe without a name, open for reading here and for writing in the spawner. */
export interface Pipe {
  readonly number: number
  readonly fd: number
}

/** Pipes are created in advance, so that a command does not wait for them. */
const BATCH = 16
const LOW_WATER = 4
const MAX_STDERR_CHARS = 2_000
/** In the same folder as this file, both in the sources and in a build. */
const PROGRAM = join(import.meta.dirname, `spawner-process${extname(import.meta.filename)}`)

/** The unused pipes, and the requests that wait for more. */
class PipePool {
  readonly #place: string
  readonly #request: (pipes: readonly NamedPipe[]) => void
  readonly #pipes: Pipe[] = []
  readonly #waiting: { readonly done: () => void; readonly fail: (error: Error) => void }[] = []
  #madeCount = 0
  #requested: { readonly folder: string; readonly pipes: readonly NamedPipe[] } | null = null
  #isClosed = false

  constructor(place: string, request: (pipes: readonly NamedPipe[]) => void) {
    this.#place = place
    this.#request = request
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Requests more, unless a request is pending. */
  refill(): void {
    if (this.#requested !== null || this.#isClosed) return
    try {
      const folder = mkdtempSync(join(this.#place, 'tongs-run-'))
      const pipes = Array.from({ length: BATCH }, () => {
        const number = this.#madeCount++
        return { number, path: join(folder, `${number}`) }
      })
      this.#requested = { folder, pipes }
      this.#request(pipes)
    } catch (error) {
      queueMicrotask(() => this.#settle((error as Error).message))
    }
  }

  /** Opens the pipes that were requested, and removes their names before any of them is used. */
  receive({ fault }: PipesEvent): void {
    const requested = this.#requested
    if (requested === null) return
    this.#requested = null
    let openFault = fault
    try {
      if (fault === null)
        for (const { number, path } of requested.pipes)
          this.#pipes.push({ number, fd: openSync(path, FOR_READING) })
    } catch (error) {
      openFault = (error as Error).message
    } finally {
      removeNames(requested.folder)
    }
    this.#settle(openFault)
  }

  #settle(fault: string | null): void {
    for (const one of this.#waiting.splice(0)) {
      if (fault === null) one.done()
      else one.fail(failure('execution_failed', `Cannot create pipes for a command: ${fault.trim()}.`))
    }
  }

  /** Two pipes, or null if there are not enough at the moment. */
  take(): readonly [Pipe, Pipe] | null {
    const [first, second] = this.#pipes.length < 2 ? [] : this.#pipes.splice(0, 2)
    if (this.#pipes.length < LOW_WATER) this.refill()
    return first === undefined || second === undefined ? null : [first, second]
  }

  /** Settles when more pipes have arrived, or rejects if that fails. */
  wait(): Promise<void> {
    return new Promise<void>((done, fail) => this.#waiting.push({ done, fail }))
  }

  close(error: Error): void {
    this.#isClosed = true
    for (const { fd } of this.#pipes.splice(0)) tryTo(() => closeSync(fd))
    if (this.#requested !== null) removeNames(this.#requested.folder)
    for (const one of this.#waiting.splice(0)) one.fail(error)
  }
}

/** Happens while nobody waits for it: what failed here would end the whole process. Empty names harm nobody. */
function removeNames(folder: string): void {
  tryTo(() => rmSync(folder, { recursive: true, force: true }))
}

const FOR_READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/**
 * Starts the spawner with a minimal environment; each command gets its own. Pipes have a name in `place` for a moment,
 * before they are used; no command may reach that folder.
 */
export function openSpawner(place: string): Spawner {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/local/bin', ...sharedCode() },
    // In a session of its own, so that signals of our terminal do not end it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const listeners = new Map<number, (event: SpawnerEvent | null) => void>()
  const pool = new PipePool(place, (pipes) => void child.send({ is: 'pipes', pipes }, () => {}))
  let isGone = false
  let stderrTail = ''

  const updateRefs = (): void => {
    const isBusy = listeners.size > 0 || pool.isAwaited
    child[isBusy ? 'ref' : 'unref']()
    child.channel?.[isBusy ? 'ref' : 'unref']()
  }
  const gone = new Promise<void>((done) => {
    const end = (why: string): void => {
      if (isGone) return
      isGone = true
      pool.close(failure('crashed', `The process that starts commands ended unexpectedly${why}.`))
      for (const onEvent of listeners.values()) onEvent(null)
      done()
    }
    child.once('error', (error) => end(`: ${error.message}`))
    child.once('exit', () => end(stderrTail === '' ? '' : `: ${stderrTail.trim()}`))
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-MAX_STDERR_CHARS)
  })
  const stderr = child.stderr as { unref?: () => void } | null
  stderr?.unref?.()
  child.on('message', (event: SpawnerEvent) => {
    if (event.is === 'pipes') pool.receive(event)
    else listeners.get(event.id)?.(event)
  })
  pool.refill()
  updateRefs()

  const takePipes = async (): Promise<readonly [Pipe, Pipe]> => {
    for (;;) {
      const pipes = pool.take()
      if (pipes !== null) return pipes
      if (isGone) throw failure('crashed', 'The process that starts commands ended unexpectedly.')
      const more = pool.wait()
      updateRefs()
      await more
      updateRefs()
    }
  }
  return {
    // A failed message needs no handling: subscribers are told when the spawner is gone.
    send: (request) => void (child.connected && child.send(request, () => {})),
    subscribe: (id, onEvent) => {
      listeners.set(id, onEvent)
      updateRefs()
      if (isGone) queueMicrotask(() => onEvent(null))
    },
    unsubscribe: (id) => {
      listeners.delete(id)
      updateRefs()
    },
    takePipes,
    isGone: () => isGone,
    close: async () => {
      if (child.connected) child.disconnect()
      child.ref()
      await gone
    },
  }
}

/** Where this process finds compiled code, so that the spawner does not compile its own again. */
function sharedCode(): NodeJS.ProcessEnv {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder }
}
