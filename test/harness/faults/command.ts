import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TOP } from '../../../scripts/run-tool.ts'
import type { ToolCall } from '../../../src/core/call.ts'
import { bundlePrograms } from './bundle-programs.ts'
import { endWhenHanging } from './hanging.ts'
import { SESSION } from './world/script.ts'
import type { World } from './world/world.ts'

/** A process to be run. */
export interface Command {
  readonly argv: readonly string[]
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

const TONGS = join(TOP, 'bin', 'tongs.cjs')
const PROGRAMS = await bundlePrograms()
const CHILD = join(PROGRAMS, 'child.ts.mjs')
const HAMMER = join(PROGRAMS, 'hammer.ts.mjs')
const DIE_AT = pathToFileURL(join(PROGRAMS, 'die-at.ts.mjs')).href
const compileCache = process.env['NODE_COMPILE_CACHE'] ?? ''

/** A tongs command in a world, without the shell script around it; it must be the process itself that dies. */
export function tongs(world: World, words: readonly string[], calls: readonly ToolCall[] = []): Command {
  const session = words.includes('--session') ? [] : ['--session', SESSION]
  return {
    argv: [process.execPath, TONGS, ...words, ...session, '--root', world.root, '--json'],
    stdin: JSON.stringify(calls),
    env: environment(world),
  }
}

/** A program of our own in a world: it plays a stage with the library, and says `ready` before it begins. */
export function program(world: World, stage: string): Command {
  return { argv: [process.execPath, CHILD, world.top, stage], stdin: '', env: environment(world) }
}

/** One of many processes that work at a time. */
export function hammer(
  mode: 'edit' | 'share' | 'compete' | 'pause',
  root: string,
  stateDir: string,
  session: string,
  count: number,
): Command {
  const argv = [process.execPath, HAMMER, mode, root, stateDir, session, String(count)]
  return { argv, stdin: '', env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: compileCache } }
}

/** Said instead of a step by who only wants to know how many there are. */
export const COUNTING = 'steps'

/** The same command, which kills itself for real at a step, given by its number or like `renameSync#2`. */
export function dying(command: Command, step: number | string): Command {
  const [node = '', ...rest] = command.argv
  return {
    ...command,
    argv: [node, '--import', DIE_AT, ...rest],
    env: { ...command.env, FAULTS_DIE_AT: String(step) },
  }
}

function environment(world: World): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: world.top,
    TONGS_STATE_DIR: world.stateDir,
    NODE_COMPILE_CACHE: compileCache,
    NO_COLOR: '1',
  }
}

/** Runs a process to its end; `onOutput` may end it earlier, and so does a time limit. */
export function run(
  { argv, stdin, env }: Command,
  onOutput: (text: string, kill: () => void) => void = () => undefined,
  killAfterMs?: number,
): Promise<Ended> {
  const [file = '', ...args] = argv
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: 'pipe', cwd: '/' })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      onOutput(text, () => child.kill('SIGKILL'))
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    const ending = endWhenHanging(child.pid ?? 0, (found) => {
      stderr += found
    })
    child.on('error', (error) => {
      ending.forget()
      reject(error)
    })
    child.on('exit', () => clearTimeout(timer))
    child.on('close', (code, signal) => {
      ending.forget()
      resolve({ code, signal, stdout, stderr })
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
  })
}

/** Whether a command found no session, because its process died before the first entry: the laws are checked afterwards. */
export function isUnbegun({ code, stderr }: Pick<Ended, 'code' | 'stderr'>): boolean {
  return code === 1 && stderr.startsWith('tongs: there is no session ')
}
