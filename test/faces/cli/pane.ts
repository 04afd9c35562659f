import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { describeFamily } from '../../harness/faults/hanging.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

const run = promisify(execFile)
const LOOK_MS = 50
const NOTHING = (): void => undefined

/** A real terminal with a shell in it. */
export interface Pane {
  /** Types text as it is. */
  readonly type: (text: string) => Promise<void>
  /** Presses keys by name, such as `Enter` or `C-c`. */
  readonly press: (...keys: readonly string[]) => Promise<void>
  /** What is on the screen, row by row; with `colours` also what draws it. */
  readonly screen: (how?: 'colours') => Promise<string>
  /** The same with everything that has scrolled away. */
  readonly history: () => Promise<string>
  /** The processes that its shell has started. */
  readonly children: () => Promise<readonly number[]>
  /** Keeps everything that is written to the terminal from now on in a file, byte by byte. */
  readonly record: (file: string) => Promise<void>
  readonly resize: (columns: number, rows: number) => Promise<void>
  /** Waits until the screen shows something. */
  readonly until: (pattern: RegExp) => Promise<string>
}

let panes = 0

/** Opens one with a server of its own, which goes with the test: one that ends takes a pane opened meanwhile with it. */
export async function openPane(
  columns: number,
  rows: number,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Pane> {
  const name = 'p'
  const socket = `tongs-test-${process.pid}-${++panes}`
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...words])).stdout
  const wanted = Object.entries(env).flatMap(([key, value]) =>
    value === undefined ? [] : ['-e', `${key}=${value}`],
  )
  await tmux(
    'new-session',
    '-d',
    '-s',
    name,
    '-x',
    String(columns),
    '-y',
    String(rows),
    '-c',
    cwd,
    ...wanted,
    'sh',
  )
  // Some tests have ended its shell, and the terminal with it.
  cleanUpWith(() => tmux('kill-server').then(NOTHING, NOTHING))
  const screen: Pane['screen'] = (how) =>
    tmux('capture-pane', '-p', ...(how === 'colours' ? ['-e'] : []), '-t', name)
  const shellPid = async (): Promise<number> =>
    Number(await tmux('list-panes', '-t', name, '-F', '#{pane_pid}'))
  return {
    type: async (text) => void (await tmux('send-keys', '-t', name, '-l', text)),
    press: async (...keys) => void (await tmux('send-keys', '-t', name, ...keys)),
    screen,
    history: () => tmux('capture-pane', '-p', '-S', '-', '-t', name),
    async children() {
      const shell = await shellPid()
      return (await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8')).trim().split(' ').map(Number)
    },
    record: async (file) => void (await tmux('pipe-pane', '-t', name, `cat > '${file}'`)),
    resize: async (width, height) =>
      void (await tmux('resize-window', '-t', name, '-x', String(width), '-y', String(height))),
    async until(pattern) {
      for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs;) {
        const now = await screen()
        if (pattern.test(now)) return now
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      throw new Error(
        `the screen never showed ${String(pattern)}:\n${await screen()}\n${describeFamily(await shellPid())}`,
      )
    },
  }
}
