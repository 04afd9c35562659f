import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, ListenOptions, Server } from 'node:net'
import { randomUUID } from 'node:crypto'
import { extname, join } from 'node:path'
import { findPrivateFolder } from '../fs/private-folder.ts'
import type { ConfinedWorkspace, Confinement } from './confinement.ts'
import type { OutsideFacts } from './escape-attempts.ts'
import { describeDelay } from './remember-proof.ts'
import { runOnce } from '../run/run-once.ts'
import { tryTo } from '../system/try-to.ts'
import type { Ended } from '../run/run-once.ts'

/** Whether a sandbox withstood all escape attempts. */
export type ProbeReport =
  | { readonly holds: true; readonly durationMs: number }
  | {
      readonly holds: false
      readonly reason: string
      readonly escaped: readonly string[]
      /** It was not ready in time, which says nothing about whether it would hold. */
      readonly isUnknown?: true
    }

const MAX_SHOWN_CHARS = 400
/** In the same folder as this file, both in the sources and in a build. */
const ATTEMPTS = join(import.meta.dirname, `escape-attempts${extname(import.meta.filename)}`)

/**
 * Runs the escape attempts in a sandbox and reports whether one succeeded, or that the sandbox did not start. It works in
 * a folder below `place`, which no command may reach; on disk, as what it must not reach is there too.
 */
export async function probeConfinement(
  confine: (workspace: ConfinedWorkspace) => Confinement,
  timeoutMs: number,
  place: string = findPrivateFolder('disk', []),
): Promise<ProbeReport> {
  const startedMs = performance.now()
  const top = mkdtempSync(join(place, 'tongs-probe-'))
  const servers: Server[] = []
  let folder: number | null = null
  try {
    const workspace = join(top, 'workspace')
    createLayout(top, workspace)
    folder = openSync(workspace, 'r')
    const network = await listen({ host: '127.0.0.1', port: 0 })
    servers.push(network, await listen({ path: socketIn(workspace, folder) }))
    const env = { PATH: '/usr/bin:/bin', HOME: join(top, 'home') }
    const facts: OutsideFacts = {
      workspace,
      outsideFile: join(top, 'outside.txt'),
      outsideSecret: SECRET,
      port: (network.address() as AddressInfo).port,
      socket: SOCKET,
      commandLine: readCommandLine(),
      variables: [...Object.keys(env), 'TMPDIR'],
    }
    const confinement = confine({
      roots: [workspace],
      home: env.HOME,
      path: '',
      read: [process.execPath, ATTEMPTS],
      write: [],
      masked: [],
      own: [],
      hasNetwork: false,
      scratchBytes: 0,
    })
    const argv = [process.execPath, ATTEMPTS, JSON.stringify(facts)]
    const end = await runOnce(confinement.launch({ argv, cwd: workspace, env }), top, timeoutMs)
    const isIntact = readFileSync(facts.outsideFile, 'utf8') === SECRET
    if (end.isTimedOut && readAnswer(end.stdout) === null)
      return { holds: false, reason: `it was ${describeDelay(timeoutMs)}`, escaped: [], isUnknown: true }
    return judge(end, isIntact, performance.now() - startedMs)
  } catch (error) {
    return { holds: false, reason: error instanceof Error ? error.message : String(error), escaped: [] }
  } finally {
    for (const server of servers) server.close()
    if (folder !== null) closeSync(folder)
    // What cannot be removed now does not matter for what was found.
    tryTo(() => rmSync(top, { recursive: true, force: true }))
  }
}

const SECRET = randomUUID()
/** Its name in the workspace, which is also where the escapes are run. */
const SOCKET = 'socket'

/** The kernel takes about a hundred bytes as the name of a socket; by way of the open folder that is enough anywhere. */
function socketIn(workspace: string, folder: number): string {
  const way = `/proc/self/fd/${folder}`
  return join(existsSync(way) ? way : workspace, SOCKET)
}

function createLayout(top: string, workspace: string): void {
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true })
  writeFileSync(join(workspace, '.git/config'), '[core]\n')
  mkdirSync(join(top, 'home'))
  writeFileSync(join(top, 'outside.txt'), SECRET)
}

function listen(where: ListenOptions): Promise<Server> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy())
    server.unref()
    server.once('error', fail)
    server.listen(where, () => done(server))
  })
}

function readCommandLine(): string {
  try {
    return readFileSync('/proc/self/cmdline', 'utf8')
  } catch {
    return process.argv.join('\0')
  }
}

function judge({ code, stdout, stderr }: Ended, isIntact: boolean, durationMs: number): ProbeReport {
  const answer = readAnswer(stdout)
  if (answer === null) {
    const cause = stderr.trim().slice(-MAX_SHOWN_CHARS)
    return { holds: false, reason: `it did not start (exit code ${code ?? 'none'}): ${cause}`, escaped: [] }
  }
  const escaped = [...(isIntact ? [] : ['write a file outside']), ...answer.escaped]
  if (escaped.length > 0) return { holds: false, reason: `it let a command ${escaped.join(', ')}`, escaped }
  if (!answer.canWork)
    return { holds: false, reason: 'commands in it cannot write to the workspace', escaped: [] }
  return { holds: true, durationMs }
}

function readAnswer(text: string): { readonly escaped: readonly string[]; readonly canWork: boolean } | null {
  try {
    return JSON.parse(text) as { escaped: string[]; canWork: boolean }
  } catch {
    return null
  }
}
