import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { failure } from '../../core/error.ts'
import type { SpawnerEvent, SpawnerRequest } from './spawner-messages.ts'

/** The process that starts commands for us, from this side. */
export interface Spawner {
  readonly send: (request: SpawnerRequest) => void
  /** Calls back with everything told about one command; null when the spawner is gone. */
  readonly subscribe: (id: number, onEvent: (event: SpawnerEvent | null) => void) => void
  readonly unsubscribe: (id: number) => void
  /** Two named pipes that nobody has used. */
  readonly takePipes: () => Promise<readonly [string, string]>
  /** Puts bytes where the spawner can open them; the same bytes are put there once. */
  readonly storeInput: (bytes: Uint8Array) => string
  /** Puts a command's input where the spawner takes it away. */
  readonly storeStdin: (id: number, text: string) => string
  readonly isGone: () => boolean
  readonly close: () => Promise<void>
}

/** Pipes are made beforehand, because a command must not wait for them. */
const BATCH = 16
const LOW_WATER = 4
const MAX_STDERR_CHARS = 2_000
/** The file beside this one, whether it is run from source or built. */
const PROGRAM = join(import.meta.dirname, `spawner-process${extname(import.meta.filename)}`)

/** Starts the spawner. Its environment is bare: commands are told theirs one by one. */
export function openSpawner(): Spawner {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-run-'))
  const child = spawn(process.execPath, [PROGRAM, folder], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin:/usr/local/bin' },
    // A session of its own: what a terminal sends to ours does not end it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const listeners = new Map<number, (event: SpawnerEvent | null) => void>()
  const pool: string[] = []
  const waiting: { readonly done: () => void; readonly fail: (error: Error) => void }[] = []
  let made = 0
  let isRequesting = false
  let isGone = false
  let stderrTail = ''

  const requestPipes = (): void => {
    if (isRequesting || isGone) return
    isRequesting = true
    child.send(
      { is: 'pipes', paths: Array.from({ length: BATCH }, () => join(folder, `pipe-${made++}`)) },
      () => {},
    )
  }
  const updateRefs = (): void => {
    const isBusy = listeners.size > 0 || waiting.length > 0
    child[isBusy ? 'ref' : 'unref']()
    child.channel?.[isBusy ? 'ref' : 'unref']()
  }
  const gone = new Promise<void>((done) => {
    const end = (why: string): void => {
      if (isGone) return
      isGone = true
      // It does so itself, unless it was killed.
      rmSync(folder, { recursive: true, force: true })
      const error = failure('crashed', `The process that starts commands is gone${why}.`)
      for (const one of waiting.splice(0)) one.fail(error)
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
    if (event.is !== 'pipes') return listeners.get(event.id)?.(event)
    isRequesting = false
    if (event.fault === null) pool.push(...event.paths)
    const answered = waiting.splice(0)
    for (const one of answered) {
      if (event.fault === null) one.done()
      else one.fail(failure('execution_failed', `Pipes for a command cannot be made: ${event.fault.trim()}.`))
    }
  })
  requestPipes()
  updateRefs()

  const takePipes = async (): Promise<readonly [string, string]> => {
    for (;;) {
      const [first, second] = pool.splice(0, 2)
      if (pool.length < LOW_WATER) requestPipes()
      if (first !== undefined && second !== undefined) return [first, second]
      if (isGone) throw failure('crashed', 'The process that starts commands is gone.')
      const more = new Promise<void>((done, fail) => waiting.push({ done, fail }))
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
    // Whoever waits for an answer hears that the spawner is gone; a failed message needs no words of its own.
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
    // Some systems clear away old temporary files.
    isGone: () => isGone || !existsSync(folder),
    close: async () => {
      if (child.connected) child.disconnect()
      child.ref()
      await gone
    },
  }
}
