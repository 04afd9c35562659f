import type { LoadedSettings } from '../../config/load-settings.ts'
import { canonicalFolder, findRoot, stateFolder } from '../../host/folders.ts'
import { userName } from '../../host/user.ts'
import { ConfigurationError } from '../../runtime/configuration-error.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/create-runtime.ts'
import { loadConfiguration } from '../../runtime/load-configuration.ts'
import { tellOnTerminal } from '../../terminal/wait-notice.ts'
import { approverFor } from './approver.ts'
import type { ParsedLine } from './arguments.ts'
import { createDebugReporter, isDebugging } from './debug.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** The folders a command line means. */
export interface Workplace {
  readonly root: string
  readonly stateDir: string
}

/** Finds the root and the state folder. */
export function findWorkplace(line: ParsedLine): Workplace {
  const wished = line.value('--root') ?? findRoot(process.cwd())
  const root = canonicalFolder(wished)
  if (root !== null) return { root, stateDir: stateFolder(process.env) }
  throw new ConfigurationError([
    { source: '--root', message: `${wished} is no folder that can be opened`, hint: 'name a folder that is' },
  ])
}

/** Loads the configuration a command line asks for, and passes its notices on. */
export async function configure(line: ParsedLine, terminal: Terminal): Promise<LoadedSettings & Workplace> {
  const place = findWorkplace(line)
  const loaded = await loadConfiguration({
    ...place,
    env: process.env,
    isPersonal: true,
    profile: line.value('--profile'),
    configFile: line.value('--config'),
    preset: line.value('--preset'),
    set: line.values('--set'),
  })
  for (const notice of loaded.notices) terminal.complain(safe(`tongs: ${notice}`))
  return { ...loaded, ...place }
}

/** Commands that keep a session open; in any other there is no time for anything to be due. */
const LONG_LIVED: ReadonlySet<string> = new Set(['app', 'run', 'mcp', 'acp'])

/** Opens the runtime a command line asks for. */
export async function openRuntime(line: ParsedLine, terminal: Terminal): Promise<Runtime> {
  const loaded = await configure(line, terminal)
  const runtime = await createRuntime({
    root: loaded.root,
    stateDir: loaded.stateDir,
    loaded,
    approve: approverFor(line),
    actor: { id: userName() },
    // Made when it is needed, because stderr is expensive to ask for the first time.
    onBusy: (busy) =>
      tellOnTerminal({ write: terminal.mention, canRewrite: process.stderr.isTTY === true })(busy),
    periodic: LONG_LIVED.has(line.command.name),
    ...(isDebugging() ? { onError: createDebugReporter(terminal) } : {}),
  })
  await runtime.ready()
  return runtime
}
