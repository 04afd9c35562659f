import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const LOOK_MS = 50
/** It only ends what hangs: a machine with much else to do is slow. */
const PATIENCE_MS = 240_000
/** So often the screen looks the same before it counts as still. */
const STILL_LOOKS = 6

/** A program in a terminal that nobody looks at, to take pictures of. */
export interface Terminal {
  /** Presses keys by name, such as `Enter` or `C-c`. */
  readonly press: (...keys: readonly string[]) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** Waits until the screen shows something. */
  readonly until: (pattern: RegExp) => Promise<void>
  /** What is on the screen, with its colours. */
  readonly frame: () => Promise<string>
  /** The same, once nothing moves any more. */
  readonly settled: () => Promise<string>
  /** Sends a signal to the program that the shell of the terminal has started. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
  readonly close: () => Promise<void>
}

interface Setting {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

let opened = 0

/** Opens a terminal of its own server, so that no settings of a person are in the picture. */
export async function openTerminal(command: string, setting: Setting): Promise<Terminal> {
  const socket = `tongs-pictures-${process.pid}-${++opened}`
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...words])).stdout
  const { columns, rows, cwd } = setting
  const env = Object.entries(setting.env).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const size = ['-x', String(columns), '-y', String(rows)]
  // Otherwise tmux leaves out the colours of an unknown terminal, and draws a line of its own.
  await tmux(
    'new-session',
    '-d',
    '-s',
    'p',
    ...size,
    '-c',
    cwd,
    ...env,
    command,
    ';',
    'set',
    '-g',
    'status',
    'off',
  )
  const screen = (...how: readonly string[]): Promise<string> => tmux('capture-pane', '-p', ...how, '-t', 'p')
  const frame = (): Promise<string> => screen('-e', '-N')
  return {
    press: async (...keys) => void (await tmux('send-keys', '-t', 'p', ...keys)),
    type: async (text) => void (await tmux('send-keys', '-t', 'p', '-l', text)),
    frame,
    async settled() {
      let last = await frame()
      for (let same = 0; same < STILL_LOOKS;) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        const now = await frame()
        same = withoutSpinner(now) === withoutSpinner(last) ? same + 1 : 0
        last = now
      }
      return last
    },
    async kill(signal) {
      const shell = (await tmux('display-message', '-p', '-t', 'p', '#{pane_pid}')).trim()
      const { stdout } = await run('pgrep', ['-P', shell])
      process.kill(Number(stdout.trim()), signal)
    },
    async until(pattern) {
      for (const untilMs = performance.now() + PATIENCE_MS; performance.now() < untilMs;) {
        if (pattern.test(await screen())) return
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
      throw new Error(`the screen never showed ${String(pattern)}:\n${await screen()}`)
    },
    close: async () => void (await tmux('kill-server')),
  }
}

const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, 'g')

/** A frame without what turns as long as work goes on. */
function withoutSpinner(frame: string): string {
  return frame
    .replace(COLOURS, '')
    .replace(/[\u2800-\u28FF⬝■]/g, '')
    .replace(/\d+(?:\.\d+)? m?s\b/g, '')
}
