import { randomBytes } from 'node:crypto'
import { closeSync } from 'node:fs'
import type { Launch } from '../confine/confinement.ts'
import { drainOutput, readOutput } from './output-reader.ts'
import { openSpawner } from './spawner.ts'
import type { Spawner } from './spawner.ts'
import { describeLaunch } from './spawner-messages.ts'
import type { EndedEvent } from './spawner-messages.ts'

/** How a process ended that was run to try something. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
}

const KEPT_BYTES = 65_536
const UNHEARD = { onText: null, onBytes: null, onFault: () => undefined }

/**
 * Runs what a sandbox starts, for probes of it; files that have a name for a moment are made in `folder`. A spawner of
 * its own starts it, as commands are started: if this process is killed at any moment, the spawner is left to kill what
 * it has started.
 */
export async function runOnce(launch: Launch, folder: string, timeoutMs: number): Promise<Ended> {
  const spawner = openSpawner(folder)
  try {
    return await runBy(spawner, launch, folder, timeoutMs)
  } finally {
    await spawner.close()
  }
}

/** The only command of its spawner. */
const ID = 1

async function runBy(spawner: Spawner, launch: Launch, folder: string, timeoutMs: number): Promise<Ended> {
  const pipes = await spawner.takePipes()
  const fds = pipes.map(({ fd }) => fd)
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<EndedEvent>()
  ended.promise.catch(() => undefined)
  const fail = (why: string): void => {
    started.reject(new Error(why))
    ended.reject(new Error(why))
  }
  spawner.subscribe(ID, (event) => {
    if (event === null) fail('the process that starts commands ended unexpectedly')
    else if (event.is === 'unstarted') fail(event.message)
    else if (event.is === 'started') started.resolve()
    else if (event.is === 'ended') ended.resolve(event)
  })
  try {
    spawner.send({
      is: 'start',
      id: ID,
      ...describeLaunch(launch, randomBytes(16).toString('hex')),
      // By its words, which have to work wherever nothing else does.
      mounted: null,
      stdout: pipes[0].number,
      stderr: pipes[1].number,
      stdin: null,
      folder,
      timeoutMs,
      graceMs: 0,
      cgroup: null,
    })
    try {
      await started.promise
    } catch (error) {
      for (const fd of fds) closeSync(fd)
      throw error
    }
    const readers = fds.map((fd) => readOutput(fd, KEPT_BYTES, UNHEARD))
    const { code, stopped } = await ended.promise.finally(() => drainOutput(readers))
    await Promise.all(readers.map((reader) => reader.stop()))
    const [stdout = '', stderr = ''] = readers.map((reader) => reader.boundedText().text)
    return { code, stdout, stderr, isTimedOut: stopped === 'timeout' }
  } finally {
    spawner.unsubscribe(ID)
  }
}
