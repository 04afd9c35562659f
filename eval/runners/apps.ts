import { join } from 'node:path'
import { TOP } from '../../scripts/run-tool.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import type { Place, Runner } from './runner.ts'
import { tongs } from './tongs.ts'

/** A call of a tool: its name and its arguments. */
export type NamedCall = readonly [name: string, args: object]

/** A runner that also opens on a terminal: how that is done, and how a model asks it for the usual work. */
export interface App {
  readonly runner: Runner
  /** The words that open it. */
  readonly open: (place: Place) => string
  /** What its screen shows once it is there. */
  readonly isOpen: RegExp
  readonly read: (path: string) => NamedCall
  readonly edit: (path: string, old: string, next: string) => NamedCall
  readonly command: (line: string, purpose: string) => NamedCall
}

const NOWHERE: Place = { root: '', home: '', url: '', provider: 'compatible', model: 'eval' }

/** The apps by name; ours first. */
export const APPS = {
  tongs: {
    runner: tongs,
    open: ({ url }) =>
      `'${join(TOP, 'bin/tongs')}' --model compatible/eval --base-url ${url} --set model.context_tokens=200000`,
    isOpen: /Type a prompt/,
    read: (path) => ['read_file', { path }],
    edit: (path, old, next) => ['edit_file', { path, old, new: next }],
    command: (line) => ['run_shell', { cmd: ['sh', '-c', line] }],
  },
  pi: {
    runner: pi,
    open: () =>
      `'${process.execPath}' '${pi.command(NOWHERE, '', true).args[0] ?? ''}' --offline --provider compatible --model eval`,
    isOpen: /eval/,
    read: (path) => ['read', { path }],
    edit: (path, old, next) => ['edit', { path, edits: [{ oldText: old, newText: next }] }],
    command: (line) => ['bash', { command: line }],
  },
  opencode: {
    runner: opencode,
    open: () => `'${opencode.command(NOWHERE, '', true).program}' --model compatible/eval`,
    isOpen: /Ask anything|eval/,
    read: (path) => ['read', { filePath: path }],
    edit: (path, old, next) => ['edit', { filePath: path, oldString: old, newString: next }],
    command: (line, purpose) => ['bash', { command: line, description: purpose }],
  },
} as const satisfies Readonly<Record<string, App>>

/** The line of a shell that opens an app in a place, with nothing of the user's but what it needs. */
export function openingLine({ runner, open }: App, place: Place): string {
  const { env } = runner.command(place, '', true)
  const variables = Object.entries(env).map(([key, value]) => `${key}='${value}'`)
  const path = `${join(TOP, 'node_modules/.bin')}:/usr/bin:/bin`
  return `env ${variables.join(' ')} COMPATIBLE_API_KEY=none PATH='${path}' ${open(place)}`
}

/** The variables of a terminal in which an app is opened. */
export function terminalEnv({ home }: Place): Readonly<Record<string, string>> {
  return {
    HOME: home,
    TONGS_STATE_DIR: join(home, 'state'),
    TERM: 'tmux-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
  }
}
