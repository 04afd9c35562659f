import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

// What a person feels of the app: `node bench/felt-app.ts [inline|full]`. Limits: idle 0 % of a processor, 90 MB, a key
// on the screen within 50 ms while a command prints 10,000 lines a second. Times mean something on a calm machine only.
const TOP = join(import.meta.dirname, '..')
const KEYS = 'qzxjvkwy'
const IDLE_MS = 10_000
const TICKS_PER_SECOND = 100
const LINES_PER_SECOND = 10_000
const SECONDS = 20
const LIMITS = { idlePercent: 0.5, megabytes: 90, keyMs: 50 } as const

const home = mkdtempSync(join(tmpdir(), 'tongs-felt-'))
const root = join(home, 'work')
mkdirSync(root)
writeFileSync(
  join(root, 'print.mjs'),
  `let n = 0
const turn = setInterval(() => {
  let text = ''
  for (let i = 0; i < ${LINES_PER_SECOND / 20}; i++) text += \`line \${n++} of what a command prints\\n\`
  process.stdout.write(text)
  if (n >= ${LINES_PER_SECOND * SECONDS}) clearInterval(turn)
}, 50)
`,
)
const screen = process.argv[2] ?? 'inline'
const open = `stty rows 34 cols 100; exec '${TOP}/bin/tongs' --root '${root}' --session felt --set ui.screen=${screen}`
const app = spawn('script', ['-qefc', open, '/dev/null'], {
  env: {
    ...process.env,
    HOME: home,
    TONGS_STATE_DIR: join(home, 'state'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  },
})
let shown = ''
app.stdout.setEncoding('utf8')
app.stdout.on('data', (chunk: string) => (shown += chunk))

try {
  await until(/such as/)
  await wait(3_000)
  const pid = leafOf(app.pid ?? 0)
  const before = ticksOf(pid)
  await wait(IDLE_MS)
  const idlePercent = ((ticksOf(pid) - before) / TICKS_PER_SECOND / (IDLE_MS / 1_000)) * 100
  const idleMegabytes = megabytesOf(pid)
  app.stdin.write(`run_shell cmd='node print.mjs'\r`)
  await until(/line \d{5}/)
  const delays: number[] = []
  for (const [at] of [...KEYS].entries()) {
    shown = ''
    const typed = KEYS.slice(0, at + 1)
    const pressed = performance.now()
    app.stdin.write(KEYS.charAt(at))
    await until(new RegExp(typed))
    delays.push(performance.now() - pressed)
    await wait(300)
  }
  const sorted = delays.toSorted((one, other) => one - other)
  const figures = {
    screen,
    idlePercent,
    idleMegabytes,
    busyMegabytes: megabytesOf(pid),
    keyMs: { least: sorted[0], median: sorted[Math.floor(sorted.length / 2)], most: sorted.at(-1) },
  }
  console.log(JSON.stringify(figures, null, 2))
  const isGood =
    idlePercent <= LIMITS.idlePercent &&
    idleMegabytes <= LIMITS.megabytes &&
    (figures.keyMs.median ?? Infinity) <= LIMITS.keyMs
  console.log(isGood ? 'within the limits' : 'beyond a limit')
  process.exitCode = isGood ? 0 : 1
} finally {
  app.kill()
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function until(pattern: RegExp): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await wait(1))
    if (pattern.test(shown)) return
  throw new Error(`never shown: ${String(pattern)}\n${shown.slice(-2_000)}`)
}

/** The program at the end of a chain of children. */
function leafOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const isApp = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tongs.cjs')
  return isApp || child === undefined || child === '' ? pid : leafOf(Number(child))
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function megabytesOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1_024)
}
