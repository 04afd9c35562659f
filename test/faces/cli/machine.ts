import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolResult } from '../../../src/core/result.ts'
import { TOP } from '../../../scripts/run-tool.ts'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** Whom the program is run as. */
export const USERS = ['root', 'ordinary'] as const

/** A machine to attack: a home, a state folder and a root in a temporary folder. */
export interface Machine {
  readonly at: (path: string) => string
  readonly put: (path: string, text?: string) => string
  /** Runs calls with a person's consent to each. */
  readonly batch: (calls: readonly unknown[], options?: MachineOptions) => Promise<readonly ToolResult[]>
  readonly sh: (line: string, options?: MachineOptions) => Promise<ToolResult>
  readonly tongs: (words: readonly string[], options?: MachineOptions) => Promise<string>
}

/** How the program is started. */
export interface MachineOptions {
  readonly root?: string
  readonly env?: NodeJS.ProcessEnv
  readonly words?: readonly string[]
}

/** A home with folders in it, its state beside it, on which the program is run as this user. */
export function makeMachine(user: (typeof USERS)[number]): Machine {
  const scratch = makeScratch()
  for (const folder of ['home', 'state', 'work', 'tmp']) scratch.folder(folder)
  const isOther = user === 'ordinary' && process.getuid?.() === 0
  const put = (path: string, text = 'x\n'): string => {
    mkdirSync(dirname(scratch.at(path)), { recursive: true })
    writeFileSync(scratch.at(path), text, { mode: 0o755 })
    return scratch.at(path)
  }
  const tongs: Machine['tongs'] = (words, { root = scratch.at('work'), env = {}, words: more = [] } = {}) => {
    if (isOther) execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, scratch.path])
    const whole = {
      PATH: '/usr/bin:/bin',
      HOME: scratch.at('home'),
      TONGS_STATE_DIR: scratch.at('state'),
      TMPDIR: scratch.at('tmp'),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    }
    const [node, program] = ordinaryProgram(join(TOP, 'bin', 'tongs.cjs'))
    return new Promise((done) => {
      execFile(
        node,
        [program, ...words, '--root', root, ...more],
        {
          cwd: root,
          env: whole,
          timeout: PATIENCE_MS,
          ...(isOther ? { uid: NOBODY, gid: NOBODY } : {}),
        },
        (_, stdout, stderr) => done(`${stdout}${stderr}`),
      )
    })
  }
  const batch: Machine['batch'] = async (calls, options = {}) => {
    const file = put(
      'calls.json',
      JSON.stringify(calls.map((call, at) => ({ id: `c${at}`, ...(call as object) }))),
    )
    const out = await tongs(['batch', file, '--json', '--yes', '--no-input'], options)
    const rows = out
      .split('\n')
      .flatMap((line) => (line.startsWith('{"id":') ? [JSON.parse(line) as ToolResult] : []))
    if (rows.length !== calls.length) throw new Error(out)
    return rows
  }
  const sh: Machine['sh'] = async (line, options) => {
    const [result] = await batch([{ name: 'run_shell', args: { cmd: ['sh', '-c', line] } }], options)
    if (result === undefined) throw new Error('no result')
    return result
  }
  return { at: scratch.at, put, batch, sh, tongs }
}

/** What a command that ran has printed. */
export function outputOf(result: ToolResult | undefined): {
  readonly stdout: string
  readonly stderr: string
} {
  if (result?.ok !== true) throw new Error(JSON.stringify(result))
  return result.result as unknown as { stdout: string; stderr: string }
}

/** The code of a failed call, or ok. */
export function codeOf(result: ToolResult | undefined): string {
  return result?.ok === false ? result.error.code : 'ok'
}
