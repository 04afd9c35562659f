/** Runs inside a sandbox and tries to get out. Prints which attempts succeeded, as JSON. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import type { NetConnectOpts } from 'node:net'

/** Facts about the outside, by which a successful attempt is recognised. */
export interface OutsideFacts {
  readonly workspace: string
  readonly outsideFile: string
  readonly outsideSecret: string
  readonly port: number
  /** Its name in the workspace. */
  readonly socket: string
  readonly commandLine: string
  readonly variables: readonly string[]
}

/** If there is a network, the local machine answers at once. */
const CONNECT_MS = 500
/** Variables that a shell or the system's loader adds on its own. */
const HARMLESS = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', 'LC_CTYPE', '__CF_USER_TEXT_ENCODING'])

const facts = JSON.parse(process.argv[2] ?? '{}') as OutsideFacts
const git = `${facts.workspace}/.git`

const attempts: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  'write to the system': () =>
    ['/usr/tongs-probe', '/etc/tongs-probe', '/tongs-probe'].some((path) =>
      succeeds(() => writeFileSync(path, '')),
    ),
  'read a file outside': () =>
    succeeds(() => expectText(readFileSync(facts.outsideFile, 'utf8'), facts.outsideSecret)),
  'read the password hashes': () => succeeds(() => readFileSync('/etc/shadow')),
  'change the kernel': () =>
    ['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger'].some((path) =>
      succeeds(() => closeSync(openSync(path, 'r+'))),
    ),
  'see processes outside': () => processFiles('cmdline').some((text) => text === facts.commandLine),
  'see variables outside': () => processFiles('environ').some(hasForeignVariable),
  'reach the network': () => canConnect({ host: '127.0.0.1', port: facts.port }),
  'reach a socket outside': () => canConnect({ path: facts.socket }),
  'mount something': () =>
    runs('mount', '-o', 'remount,rw', '/usr') || runs('mount', '-t', 'tmpfs', 'none', facts.workspace),
  'become root of a new namespace': () => runs('unshare', '--user', '--map-root-user', 'true'),
  "change git's hooks": () => succeeds(() => writeFileSync(`${git}/hooks/pre-commit`, '')),
  "change git's configuration": () => succeeds(() => appendFileSync(`${git}/config`, '\n')),
  "replace git's folder": () => succeeds(() => renameSync(git, `${git}-moved`)),
}

// In a scratch folder of the sandbox this succeeds harmlessly; the outside checks whether the real file changed.
succeeds(() => appendFileSync(facts.outsideFile, 'x'))
void tryAll()

async function tryAll(): Promise<void> {
  const escaped: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) if (await attempt()) escaped.push(name)
  const canWork = succeeds(() => writeFileSync(`${facts.workspace}/made-inside`, ''))
  process.stdout.write(JSON.stringify({ escaped, canWork }))
}

function succeeds(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

function expectText(text: string, part: string): void {
  if (!text.includes(part)) throw new Error('another file')
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function processFiles(name: string): readonly string[] {
  const found: string[] = []
  succeeds(() => {
    for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
      succeeds(() => found.push(readFileSync(`/proc/${pid}/${name}`, 'utf8')))
  })
  return found
}

function hasForeignVariable(environment: string): boolean {
  const names = environment.split('\0').map((variable) => variable.split('=', 1)[0] ?? '')
  return names.some((name) => name !== '' && !facts.variables.includes(name) && !HARMLESS.has(name))
}

function canConnect(where: NetConnectOpts): Promise<boolean> {
  return new Promise((done) => {
    try {
      const socket = connect(where)
      const end = (isOpen: boolean): void => {
        socket.destroy()
        done(isOpen)
      }
      socket.setTimeout(CONNECT_MS, () => end(false))
      socket.once('connect', () => end(true))
      socket.once('error', () => end(false))
    } catch {
      done(false)
    }
  })
}
