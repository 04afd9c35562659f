import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** It only ends what hangs: a machine with much else to do is slow. */
const PATIENCE_MS = 120_000

/** A program on a terminal whose screen is watched: when something came to be shown, to the fraction of a millisecond. */
export interface Screen {
  /** When the program was started. */
  readonly startedAt: number
  /** The process of the program. */
  readonly pid: () => Promise<number>
  /** Types text, and says when. */
  readonly type: (text: string) => number
  readonly press: (key: string) => void
  /** Resolves with the time at which the screen came to show something. */
  readonly shownAt: (pattern: RegExp) => Promise<number>
  readonly close: () => Promise<void>
}

interface Setting {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

let opened = 0

/**
 * Opens a program in tmux, over a control connection that stays open: starting a process for each look would take longer than
 * what is measured. tmux tells of output as it comes, and answers commands in the same order.
 */
export async function openScreen(line: string, setting: Setting): Promise<Screen> {
  const socket = `tongs-bench-${process.pid}-${++opened}`
  const size = ['-x', String(setting.columns), '-y', String(setting.rows)]
  const child = spawn('tmux', ['-L', socket, '-f', '/dev/null', '-C', 'new-session', ...size, 'sleep 1000'], {
    cwd: setting.cwd,
    env: { PATH: process.env['PATH'] ?? '', ...setting.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const talk = readReplies(child.stdout.setEncoding('utf8'))
  const run = (command: string): Promise<readonly string[]> => {
    child.stdin.write(`${command}\n`)
    return talk.reply()
  }
  await talk.reply()
  await run(`refresh-client -C ${setting.columns}x${setting.rows}`)
  await run('set -g status off')
  const startedAt = performance.now()
  await run(`respawn-pane -k ${quote(`exec ${line}`)}`)
  return {
    startedAt,
    pid: async () => Number((await run("display-message -p '#{pane_pid}'"))[0]),
    type(text) {
      const now = performance.now()
      void run(`send-keys -l ${quote(text)}`)
      return now
    },
    press: (key) => void run(`send-keys ${key}`),
    async shownAt(pattern) {
      let shown: readonly string[] = []
      for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
        const changed = talk.nextOutput()
        shown = await run('capture-pane -p')
        if (pattern.test(shown.join('\n'))) return talk.lastOutputAt()
        await changed
      }
      throw new Error(`the screen never showed ${String(pattern)}:\n${shown.join('\n')}`)
    },
    async close() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.stdin.write('kill-server\n')
      await ended
    },
  }
}

/** Two screens of the same size differ in nothing else, so a line is quoted for tmux and not for a shell. */
function quote(text: string): string {
  return `"${text.replaceAll(/["\\$]/g, String.raw`\$&`)}"`
}

/** Parts what tmux says into the answers to commands and news of output. */
function readReplies(from: NodeJS.ReadableStream) {
  const LOOK_MS = 50
  const waiting: ((lines: readonly string[]) => void)[] = []
  let reply: string[] | null = null
  let rest = ''
  let outputAt = performance.now()
  let wake = (): void => {}
  from.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('%begin ')) reply = []
      else if (/^%(?:end|error) /.test(line)) {
        waiting.shift()?.(reply ?? [])
        reply = null
      } else if (reply !== null) reply.push(line)
      else if (line.startsWith('%output ')) {
        outputAt = performance.now()
        wake()
      }
    }
  })
  return {
    reply: () => new Promise<readonly string[]>((resolve) => waiting.push(resolve)),
    lastOutputAt: () => outputAt,
    /** The next output; tmux may have told of the last one just before it was asked, so it is not waited for without end. */
    nextOutput: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
