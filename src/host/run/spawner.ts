import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { failure } from '../../core/error.ts'
import type { PipesEvent, SpawnerEvent, SpawnerRequest } from './spawner-messages.ts'

/** A connection to the process that starts commands. */
export interface Spawner {
  readonly send: (request: SpawnerRequest) => void
  /** Calls back with every event of one command; null when the spawner is gone. */
  readonly subscribe: (id: number, onEvent: (event: SpawnerEvent | null) => void) => void
  readonly unsubscribe: (id: number) => void
  /** Two unused named pipes. */
  readonly takePipes: () => Promise<readonly [string, string]>
  /** Stores bytes where the spawner can open them, the same bytes only once, and returns the path. */
  readonly storeInput: (bytes: Uint8Array) => string
  /** Stores a command's input where the spawner opens and removes it, and returns the path. */
  readonly storeStdin: (id: number, text: string) => string
  readonly isGone: () => boolean
  readonly close: () => Promise<void>
}

/** Pipes are created in advance, so that a command does not wait for them. */
const BATCH = 16
const LOW_WATER = 4
const MAX_STDERR_CHARS = 2_000
/** In the same folder as this file, both in the sources and in a build. */
const PROGRAM = join(import.meta.dirname, `spawner-process${extname(import.meta.filename)}`)

/** The unused pipes, and the requests that wait for more. */
class PipePool {
  readonly #folder: string
  readonly #request: (paths: readonly string[]) => void
  readonly #pipes: string[] = []
  readonly #waiting: { readonly done: () => void; readonly fail: (error: Error) => void }[] = []
  #madeCount = 0
  #isRequesting = false
  #isClosed = false

  constructor(folder: string, request: (paths: readonly string[]) => void) {
    this.#folder = folder
    this.#request = request
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Requests more, unless a request is pending. */
  refill(): void {
    if (this.#isRequesting || this.#isClosed) return
    this.#isRequesting = true
    this.#request(Array.from({ length: BATCH }, () => join(this.#folder, `pipe-${this.#madeCount++}`)))
  }

  /** Accepts the reply to a request. */
  receive({ paths, fault }: PipesEvent): void {
    this.#isRequesting = false
    if (fault === null) this.#pipes.push(...paths)
    for (const one of this.#waiting.splice(0)) {
      if (fault === null) one.done()
      else one.fail(failure('execution_failed', `Cannot create pipes for a command: ${fault.trim()}.`))
    }
  }

  /** Two pipes, or null if there are not enough at the moment. */
  take(): readonly [string, string] | null {
    const [first, second] = this.#pipes.splice(0, 2)
    if (this.#pipes.length < LOW_WATER) this.refill()
    return first === undefined || second === undefined ? null : [first, second]
  }

  /** Settles when more pipes have arrived, or rejects if that fails. */
  wait(): Promise<void> {
    return new Promise<void>((done, fail) => this.#waiting.push({ done, fail }))
  }

  close(error: Error): void {
    this.#isClosed = true
    for (const one of this.#waiting.splice(0)) one.fail(error)
  }
}

/** Starts the spawner with a minimal environment; each command gets its own. */
export function openSpawner(): Spawner {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-run-'))
  const child = spawn(process.execPath, [PROGRAM, folder], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/local/bin' },
    // In a session of its own, so that signals of our terminal do not end it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const listeners = new Map<number, (event: SpawnerEvent | null) => void>()
  const pool = new PipePool(folder, (paths) => void child.send({ is: 'pipes', paths }, () => {}))
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
      // The spawner removes it itself, unless it was killed.
      rmSync(folder, { recursive: true, force: true })
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

  const takePipes = async (): Promise<readonly [string, string]> => {
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
  const inputs = new Map<string, string>()
  const store = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }
  return {
    storeInput: (bytes) => {
      const digest = hash('sha256', bytes, 'hex')
      const path = inputs.get(digest) ?? store(digest, bytes)
      inputs.set(digest, path)
      return path
    },
    storeStdin: (id, text) => store(`stdin-${id}`, text),
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
    // Some systems remove old temporary files.
    isGone: () => isGone || !existsSync(folder),
    close: async () => {
      if (child.connected) child.disconnect()
      child.ref()
      await gone
    },
  }
}
