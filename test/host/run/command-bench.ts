import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfinedWorkspace, Confinement } from '../../../src/host/confine/confinement.ts'
import { findConfinement } from '../../../src/host/confine/find-confinement.ts'
import type { RunEnd, RunHooks, RunRequest } from '../../../src/host/run/run-request.ts'
import { createRunner } from '../../../src/host/run/runner.ts'
import type { Runner } from '../../../src/host/run/runner.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

/** Stands in a file outside of the workspace. */
export const OUTSIDE_SECRET = 'only-outside-4711'

/** A workspace with something beside it, and a runner. */
export interface CommandBench {
  readonly runner: Runner
  readonly root: string
  readonly outside: string
  readonly sandboxed: Confinement
  readonly open: Confinement
  /** Whether commands run without a sandbox unless told otherwise. */
  readonly isOpen: boolean
  readonly confine: (changes?: Partial<ConfinedWorkspace>) => Promise<Confinement>
  /** Runs a program in the sandbox, unless told otherwise. */
  readonly run: (argv: readonly string[], changes?: Partial<RunRequest>, hooks?: RunHooks) => Promise<RunEnd>
  /** The same for a line of shell. */
  readonly sh: (line: string, changes?: Partial<RunRequest>, hooks?: RunHooks) => Promise<RunEnd>
  readonly close: () => Promise<void>
}

/**
 * Lays one out in a folder of its own; without a sandbox, things are shown to be possible that it must prevent. Files of
 * the runner that have a name for a moment are made in `place`.
 */
export async function openCommandBench(
  byDefault: 'sandboxed' | 'open' = 'sandboxed',
  place?: string,
): Promise<CommandBench> {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-command-'))
  const root = join(top, 'root')
  const outside = join(top, 'outside')
  for (const folder of [root, outside]) mkdirSync(folder)
  writeFileSync(join(outside, 'secret.txt'), OUTSIDE_SECRET)
  chmodSync(top, 0o755)
  const runner = createRunner(place === undefined ? {} : { place })
  const confine = async (changes: Partial<ConfinedWorkspace> = {}): Promise<Confinement> =>
    (await level('auto')).confine({
      roots: [root],
      home: join(top, 'home'),
      path: SYSTEM_PATH,
      read: [],
      write: [],
      masked: [],
      own: [],
      hasNetwork: false,
      scratchBytes: 2 * 1024 ** 3,
      ...changes,
    })
  const sandboxed = await confine()
  const open = (await level('none')).confine({ ...EMPTY_WORKSPACE, roots: [root] })
  const run: CommandBench['run'] = (argv, changes = {}, hooks = {}) =>
    runner.run(
      {
        argv,
        cwd: root,
        env: { PATH: SYSTEM_PATH, HOME: join(top, 'home') },
        stdin: null,
        timeoutMs: PATIENCE_MS,
        keepBytes: 100_000,
        confinement: byDefault === 'open' ? open : sandboxed,
        limits: {},
        graceMs: 400,
        spill: null,
        ...changes,
      },
      hooks,
    )
  return {
    runner,
    root,
    outside,
    sandboxed,
    open,
    isOpen: byDefault === 'open',
    confine,
    run,
    sh: (line, changes, hooks) => run(['sh', '-c', line], changes, hooks),
    close: async () => {
      await runner.close()
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/** Where the system's own programs are. */
export const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'
/** Nothing to see and nothing to write. */
export const EMPTY_WORKSPACE: ConfinedWorkspace = {
  roots: [],
  home: '/',
  path: '',
  read: [],
  write: [],
  masked: [],
  own: [],
  hasNetwork: false,
  scratchBytes: 0,
}

async function level(
  sandbox: 'auto' | 'none',
): Promise<{ confine: (workspace: ConfinedWorkspace) => Confinement }> {
  const found = await findConfinement({
    sandbox,
    externalLabel: '',
    home: '/nonexistent',
    probeMs: PATIENCE_MS,
  })
  if (!found.holds) throw new Error(`${found.reason} ${found.advice.join(' ')}`)
  return found
}

/** A number of seconds that nothing else on this machine sleeps for. */
export function oddSeconds(): string {
  return `3000.${process.pid}${Math.floor(Math.random() * 1e9)}`
}

/** The processes, living ones only, whose command line holds a text. */
export function findByCommandLine(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) => pid !== process.pid && readIfThere(`/proc/${pid}/cmdline`).includes(text) && !isZombie(pid),
    )
}

function isZombie(pid: number): boolean {
  return /\) [ZX] /.test(readIfThere(`/proc/${pid}/stat`))
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Waits until a condition holds; false if it does not in time. */
export async function eventually(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  for (const untilMs = performance.now() + withinMs; ;) {
    if (isTrue()) return true
    if (performance.now() > untilMs) return false
    await new Promise((done) => setTimeout(done, 10))
  }
}
