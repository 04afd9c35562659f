import { shellWord } from '../../core/command/shell-word.ts'
import type { LoadedSettings } from '../../config/load-settings.ts'
import { canonicalFolder, findRoot, formerFolder, stateFolder, userFolder } from '../../host/fs/folders.ts'
import { userName } from '../../host/system/process.ts'
import { ConfigurationError } from '../../runtime/configure/configuration-error.ts'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { Runtime } from '../../runtime/create-runtime.ts'
import { loadConfiguration } from '../../runtime/configure/load-configuration.ts'
import type { ConfigurationSource } from '../../runtime/configure/load-configuration.ts'
import type { History } from '../../runtime/sessions/gone-root.ts'
import { placeWitness } from '../../runtime/configure/places.ts'
import { printWaiting } from '../../terminal/wait-notice.ts'
import { approverFor } from './prompts/approval-prompt.ts'
import type { ParsedLine } from './arguments.ts'
import { createDebugReporter, isDebugging } from './errors.ts'
import { safe, safeWords } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** The folders of a command line. */
export interface Folders {
  readonly root: string
  readonly stateDir: string
}

/** Finds the root and the state folder. */
export function findFolders(line: ParsedLine): Folders {
  const folder = line.value('--root') ?? findRoot(process.cwd())
  const root = canonicalFolder(folder)
  if (root !== null) return { root, stateDir: stateFolder(process.env) }
  throw new ConfigurationError([
    {
      source: '--root',
      message: `cannot open folder ${folder}`,
      hint: 'name a folder that exists and can be read',
    },
  ])
}

/** Loads the configuration of a command line, with the given preset, and settings that nothing else overrides. */
export function loadFor(
  line: ParsedLine,
  folders: Folders,
  preset: string | undefined,
  fixed: readonly string[] = [],
): Promise<LoadedSettings> {
  return loadConfiguration(sourceFor(line, folders, preset, fixed))
}

function sourceFor(
  line: ParsedLine,
  folders: Folders,
  preset: string | undefined,
  fixed: readonly string[] = [],
): ConfigurationSource {
  return {
    ...folders,
    env: process.env,
    isPersonal: true,
    profile: line.value('--profile'),
    configFile: line.value('--config'),
    preset,
    set: [...line.values('--set'), ...fixed],
  }
}

/** What stands for no preset, also in editors. */
export const NO_PRESET = 'configured'

/** The preset of the line; undefined if there is none. */
function presetOf(line: ParsedLine): string | undefined {
  const given = line.value('--preset')
  return given === NO_PRESET ? undefined : given
}

/** The same with the preset of the line; prints the notices. */
export async function configure(line: ParsedLine, terminal: Terminal): Promise<LoadedSettings & Folders> {
  const folders = findFolders(line)
  const loaded = await loadFor(line, folders, presetOf(line))
  for (const notice of loaded.notices) terminal.warn(`tongs: ${notice}`)
  await noteWitness(loaded.settings['journal.witness'], folders, terminal)
  return { ...loaded, ...folders }
}

/** Work goes on without the witness, so a person has to be told. */
export async function noteWitness(
  given: string,
  { root, stateDir }: Folders,
  { warn }: Pick<Terminal, 'warn'>,
): Promise<void> {
  if (given === '') return
  const path = placeWitness(given, { roots: [root], stateDir })
  const { checkWitness } = await import('../../journal/chain/witness.ts')
  const fault = checkWitness(path)
  if (fault !== null) warn(safe(`tongs: the witness ${path} cannot be told of this command: ${fault}`))
}

/**
 * The folders with the witness, which is told of what a command records without a runtime. The project's file has no say
 * in it and is not read; no notices are printed.
 */
export async function findWitnessed(
  line: ParsedLine,
  terminal: Terminal,
): Promise<Folders & { readonly witness: string }> {
  const folders = findFolders(line)
  const source = sourceFor(line, folders, presetOf(line))
  const { settings } = await loadConfiguration({ ...source, isWithoutProject: true })
  const given = settings['journal.witness']
  await noteWitness(given, folders, terminal)
  return { ...folders, witness: placeWitness(given, { roots: [folders.root], stateDir: folders.stateDir }) }
}

/** The same where the rest is done already; if the configuration cannot be read, no witness is told. */
export async function findWitnessedAnyway(
  line: ParsedLine,
  terminal: Terminal,
): Promise<Folders & { readonly witness: string }> {
  try {
    return await findWitnessed(line, terminal)
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    terminal.warn(
      'tongs: no witness was told of this command, because the configuration cannot be read; tongs config explain says why',
    )
    return { ...findFolders(line), witness: '' }
  }
}

/** Opens the runtime for a command line. */
export async function openRuntime(line: ParsedLine, terminal: Terminal): Promise<Runtime> {
  const runtime = await openWith(await configure(line, terminal), line, terminal)
  for (const one of hintsAt(runtime, line.command.name)) terminal.warn(safe(`tongs: ${one}`))
  return runtime
}

/** Opens it again with another preset; what there was to say about the configuration has been said. */
export async function reopenRuntime(line: ParsedLine, terminal: Terminal, preset: string): Promise<Runtime> {
  const folders = findFolders(line)
  return openWith({ ...(await loadFor(line, folders, preset)), ...folders }, line, terminal)
}

async function openWith(
  loaded: LoadedSettings & Folders,
  line: ParsedLine,
  terminal: Terminal,
): Promise<Runtime> {
  const runtime = await createRuntime({
    root: loaded.root,
    startFolder: process.cwd(),
    userFolder: userFolder(process.env),
    stateDir: loaded.stateDir,
    loaded,
    approve: approverFor(line),
    actor: { id: userName() },
    // Created on demand, because the first access to stderr is slow.
    onBusy: (busy) =>
      printWaiting({
        write: terminal.writeNotice,
        clearRow: terminal.clearNotice,
        canRewrite: process.stderr.isTTY === true,
      })(busy),
    // Only a turn runs long enough for periodic work.
    periodic: line.command.name === 'run',
    ...(isDebugging() ? { onError: createDebugReporter(terminal) } : {}),
  })
  await runtime.ready()
  return runtime
}

/** Closes a runtime at the end of a command, and names what ends with it. */
export async function closeRuntime(runtime: Runtime, terminal: Terminal): Promise<void> {
  const running = runtime.background().filter(({ state }) => state === 'running')
  await runtime.close()
  for (const { command } of running)
    terminal.warn(
      `tongs: stopped ${safeWords(command)}, which ran in the background: it ends with the tongs that started it. The app, tongs mcp and tongs acp keep such commands until they end.`,
    )
}

/** Opens the history of the root of a command line; with `--root`, also that of a folder that is gone. */
export async function openHistory(line: ParsedLine, terminal: Terminal): Promise<History> {
  const named = line.value('--root')
  if (named === undefined || canonicalFolder(named) !== null) return openRuntime(line, terminal)
  const { openGoneRoot } = await import('../../runtime/sessions/gone-root.ts')
  return openGoneRoot(formerFolder(named), stateFolder(process.env)) ?? openRuntime(line, terminal)
}

/** Commands that are of no use without a history. */
const LOOKING_BACK: ReadonlySet<string> = new Set([
  'log',
  'undo',
  'redo',
  'recover',
  'why',
  'stats',
  'sessions',
  'pending',
  'approve',
  'deny',
])
const MOST_HINTS = 3

/** A history belongs to the path of its root; a root that was renamed has none of its own. */
function hintsAt(runtime: Runtime, command: string): readonly string[] {
  const former = runtime.formerRoot()
  if (former !== null)
    return [`this folder was ${former}; to go on with its history, run tongs adopt ${shellWord(former)}`]
  if (!LOOKING_BACK.has(command)) return []
  return runtime
    .goneRoots()
    .slice(-MOST_HINTS)
    .map(
      (old) =>
        `nothing is on record for ${runtime.root}; ${old} has a history and is gone. If it was renamed to this one, tongs log --root ${shellWord(old)} shows its log, and tongs adopt ${shellWord(old)} goes on with it.`,
    )
}
