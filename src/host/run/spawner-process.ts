/**
 * The program of the spawner: a small process that starts commands, because forking a large process blocks its event
 * loop. It lives as long as its runtime, and kills every command when it ends.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, readdirSync } from 'node:fs'
import { startCommand } from './running-command.ts'
import type { RunningCommand } from './running-command.ts'
import type { NamedPipe, SpawnerEvent, SpawnerRequest } from './spawner-messages.ts'

const LAST_STANDARD_FD = 2
const CLOSES_ON_EXEC = 0o2000000

const running = new Map<number, RunningCommand>()
/** The ends for writing of unused pipes, by number. */
const pipes = new Map<number, number>()

closeInherited()
process.on('message', (request: SpawnerRequest) => {
  switch (request.is) {
    case 'pipes':
      makePipes(request.pipes)
      break
    case 'start':
      start(request)
      break
    case 'stop':
      running.get(request.id)?.stop(request.cause)
      break
  }
})
process.once('disconnect', () => void shutDown())
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => void shutDown())
// Node would open a debugger.
process.on('SIGUSR1', () => undefined)

/**
 * Closes descriptors that the process that started the runtime left open for its children: with one of a folder or a
 * socket, a command could leave its sandbox. Our own are marked close-on-exec and need no closing.
 */
function closeInherited(): void {
  for (const fd of listDescriptors()) {
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
      if ((Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0) closeSync(fd)
    } catch {
      // The descriptor that listed the others is closed by now.
    }
  }
}

function listDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((fd) => fd > LAST_STANDARD_FD)
  } catch {
    return []
  }
}

function start(request: Extract<SpawnerRequest, { readonly is: 'start' }>): void {
  const command = startCommand(request, takePipe, emit)
  if (command === null) return
  running.set(request.id, command)
  void command.ended.finally(() => running.delete(request.id))
}

function makePipes(named: readonly NamedPipe[]): void {
  execFile('mkfifo', ['-m', '600', ...named.map(({ path }) => path)], (error) => {
    let fault = error === null ? null : error.message
    try {
      if (error === null) for (const { number, path } of named) pipes.set(number, openForWriting(path))
    } catch (thrown) {
      fault = (thrown as Error).message
    }
    emit({ is: 'pipes', fault })
  })
}

/** Opens a named pipe for blocking writes, as commands expect; with a reader of our own the open does not wait. */
function openForWriting(path: string): number {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  } finally {
    closeSync(reader)
  }
}

/** The end for writing of a pipe, which the caller closes. */
function takePipe(number: number): number {
  const fd = pipes.get(number)
  if (fd === undefined) throw new Error(`there is no pipe ${number}`)
  pipes.delete(number)
  return fd
}

function emit(event: SpawnerEvent): void {
  if (process.connected) process.send?.(event, undefined, undefined, () => {})
}

async function shutDown(): Promise<void> {
  const last = [...running.values()]
  for (const command of last) command.kill()
  await Promise.all(last.map((command) => command.ended))
  process.exit(0)
}
