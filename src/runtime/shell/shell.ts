import { delimiter, join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import type { ProcessEnd, SpawnRequest } from '../../core/powers.ts'
import type { ShellStatus } from '../../core/shell/shell-status.ts'
import { redactAndList } from '../../core/text/secrets/redact.ts'
import { createRedactingStream } from '../../core/text/secrets/redact-stream.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import type { LayerStatus } from '../../host/layer/sweep-layers.ts'
import { createPause, steadyMs } from '../../host/system/clock.ts'
import { platform } from '../../host/system/platform.ts'
import { runWithPauses } from '../../host/system/steps.ts'
import type { RunLimits } from '../../host/run/run-request.ts'
import type { Runner } from '../../host/run/runner.ts'
import type { Shell, ShellHooks } from '../../pipeline/engine.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { Layer } from '../../core/layer.ts'
import { spillTo, storedPath } from '../sessions/stored-outputs.ts'
import type { OutputDeps } from '../sessions/stored-outputs.ts'
import { openBackground } from './background/background.ts'
import type { Background } from './background/background.ts'
import { valuesToHide } from './child-environment.ts'
import { environmentOf, findAllStarted, findReplaced, findStarted } from './find-started.ts'
import { explainWanted } from './explain-wanted.ts'
import { confineCommand } from './confine-command.ts'
import type { ConfineDeps } from './confine-command.ts'
import { remarkOnPendingState, watchPendingState } from './git-remarks.ts'
import { giveUpLayer } from '../../host/layer/open-layer.ts'
import { findLayers, inTurn, NO_LAYERS } from './shell-layers.ts'
import { presentEnd } from './present-end.ts'
import { watchLayer } from './watch-layer.ts'
import { judgePathGrant } from './granted-paths.ts'
import { cacheVariables, findLentCaches } from './lent-caches.ts'
import { enterDirectly, findPassthrough, makePassthrough, sayPassthrough } from './passthrough.ts'
import { watchMasked } from './watch-masked.ts'
import type { PathGrantDeps } from './granted-paths.ts'
import { sharedGitAround } from './shared-git.ts'
import { describeShellLimits, findShellConfinement, placeForRunner, runLimits } from './shell-confinement.ts'

/** A shell that can be closed. */
export interface OwnedShell extends Shell {
  /** Prepares to start commands while this process is small; later, that would block its event loop. */
  readonly warm: () => Promise<void>
  /** The commands that go on when their call has ended. */
  readonly background: Pick<Background, 'list' | 'read' | 'close'>
  readonly close: () => Promise<void>
}

const UNCHECKED: ShellStatus = {
  holds: false,
  reason: 'The sandbox has not been checked yet.',
  advice: [],
}
/** The result is divided by this, so that both streams and the text around them fit. */
const SHARE_OF_A_STREAM = 3

/** What a shell runs its commands with. */
interface ShellDeps extends ConfineDeps, OutputDeps {
  readonly limits: RunLimits
  readonly openRunner: () => Promise<Runner>
}

/** The folders of Tongs that concern a shell. */
interface ShellFolders extends Pick<OutputDeps, 'outputFolder' | 'seal'> {
  readonly own: readonly OwnPath[]
  readonly stateDir: string
  /** Whether what a call left on its layer may still be needed. */
  readonly layerStatus: (execution: string) => LayerStatus
  /** The folders of the user's skills, which commands read. */
  readonly skillFolders: () => readonly string[]
}

/** Opens a shell that runs commands of a root in the best sandbox available here. */
export function openShell(
  settings: Settings,
  workspace: Workspace,
  { own, outputFolder, stateDir, seal, layerStatus, skillFolders }: ShellFolders,
): OwnedShell {
  let level: ConfinementLevel | null = null
  let layers = NO_LAYERS
  let unknown: ShellStatus = UNCHECKED
  let runner: Runner | null = null
  let isClosed = false
  let status: ShellStatus | null = null
  const paths: PathGrantDeps = {
    workspace,
    home: homeFolder(process.env),
    own,
    runnerPlace: () => placeForRunner(settings, workspace.roots),
  }
  const limits = runLimits(settings)

  const openRunner = async (): Promise<Runner> => {
    const { createRunner } = await import('../../host/run/runner.ts')
    runner ??= createRunner({ place: placeForRunner(settings, workspace.roots) })
    return runner
  }

  const deps: ShellDeps = { settings, workspace, paths, skillFolders, outputFolder, seal, limits, openRunner }

  const labelNow = (): string => (level?.holds === true ? level.label : 'nothing')
  const openLayer = async (execution: string): Promise<Layer | null> => {
    if (layers.status.layer !== 'none')
      makePassthrough(findPassthrough(settings, workspace), workspace.roots[0] ?? '/')
    return layers.open(execution)
  }
  const run: Shell['run'] = async (request, hooks) => {
    if (level === null || !level.holds)
      throw failure('not_allowed', 'There is no sandbox for commands here.', {}, ['See tongs doctor.'])
    const found = level
    const leave = found.name === 'bwrap' ? await enterDirectly(request, hooks, deps, stateDir) : null
    return inTurn(hooks.layer ?? null, () => runConfined(found, request, hooks, deps)).finally(() =>
      leave?.(),
    )
  }
  const discard = (layer: Layer): Promise<void> => layers.discard(layer)
  const background = openBackground({
    settings,
    stateDir,
    label: labelNow,
    openLayer,
    discardLayer: discard,
    run,
  })

  return {
    background,
    startBackground: background.start,
    readBackground: background.read,
    async warm() {
      const isOn = settings['tools.run_shell.enabled'] || settings['tools.run_command.enabled']
      if (!isOn || platform === 'windows') return
      const opened = await openRunner()
      // The shell may have been closed meanwhile.
      if (!isClosed) opened.warm()
    },
    async ready() {
      if (level !== null) return
      const found = await findShellConfinement(settings, {
        roots: workspace.roots,
        own: workspace.own,
        stateDir,
      })
      const foundLayers = await findLayers(found, settings, { workspace, stateDir, layerStatus })
      if (level !== null) return
      if ('unknown' in foundLayers) unknown = foundLayers.unknown
      else [level, layers] = [found, foundLayers]
    },
    status() {
      if (level === null) return unknown
      if (!level.holds) return level
      const { name, label } = level
      const isSandboxed = name === 'bwrap' || name === 'seatbelt'
      status ??= {
        holds: true,
        label: layers.status.layer === 'none' ? label : `${label}${sayPassthrough(settings)}`,
        isSandboxed,
        limits: describeShellLimits(limits, name),
        ...layers.status,
      }
      return status
    },
    judgePath: (path, intent) => judgePathGrant(path, intent, paths),
    findProgram: (word, request) => findStarted(word, request, deps),
    findPrograms: (words, request) => findAllStarted(words, request, deps),
    findReplaced: (request) => findReplaced(request, deps),
    remarks: () => remarkOnPendingState(workspace.roots),
    run,
    openLayer,
    discardLayer: discard,
    giveUpLayer,
    async close() {
      isClosed = true
      await background.close()
      await runner?.close()
    },
  }
}

async function runConfined(
  level: ConfinementLevel & { readonly holds: true },
  request: SpawnRequest,
  hooks: ShellHooks,
  deps: ShellDeps,
): Promise<ProcessEnd> {
  const { settings, workspace, paths } = deps
  const { layer = null } = hooks
  const cwd = locateFolder(request.cwd ?? '.', workspace)
  const pause = createPause(steadyMs(), 1)
  const environment = environmentOf(request, deps)
  await pause(false)
  const { extraAccess = null } = request
  const programPath = environment.variables['PATH'] ?? ''
  const hasNetwork = extraAccess?.network ?? false
  const lent = findLentCaches(settings, workspace, { hasNetwork, rung: layer?.rung ?? null })
  const confining = confineCommand(level, { extraAccess, path: programPath, lent }, deps)
  const confinement = await runWithPauses(confining, () => pause(false))
  const variables = { ...(level.name === 'bwrap' ? cacheVariables(lent) : {}), ...environment.variables }
  const secrets = valuesToHide(environment.secrets)
  const live = watch(secrets, hooks)
  const findLeft = watchPendingState(workspace.roots, layer)
  const runner = await deps.openRunner()
  // What follows looks at the whole workspace in one step.
  await pause(true)
  const watched = layer === null ? null : watchLayer(layer, settings, workspace.roots[0] ?? '/')
  const running = runner.run(
    {
      argv: request.argv,
      cwd,
      env:
        request.programs === undefined
          ? variables
          : {
              ...variables,
              PATH: `${join(cwd, request.programs)}${delimiter}${programPath}`,
            },
      stdin: request.stdin ?? null,
      timeoutMs: request.timeoutMs,
      keepBytes: request.keepBytes ?? shareOfStream(settings, hooks),
      ...(request.spillFromBytes === undefined ? {} : { spillFromBytes: request.spillFromBytes }),
      confinement,
      layer,
      findMoved: watchMasked(
        request,
        { isOnLayer: layer !== null, hides: level.name === 'bwrap' || level.name === 'seatbelt' },
        deps,
      ),
      limits: deps.limits,
      graceMs: settings['tools.shell.grace_seconds'] * 1000,
      spill: spillTo({ session: hooks.session, name: hooks.execution }, deps, secrets),
    },
    {
      signal: watched === null ? hooks.signal : AbortSignal.any([hooks.signal, watched.signal]),
      ...(hooks.onStarted === undefined ? {} : { onStarted: hooks.onStarted }),
      ...(hooks.isWatched
        ? {
            onChunk: (stream: 'stdout' | 'stderr', chunk: string) => {
              if (stream !== request.unwatched) live.take(stream, chunk)
            },
          }
        : {}),
    },
  )
  const end = await running.finally(() => watched?.end())
  live.end()
  const judge = (path: string, intent: 'read' | 'write') => judgePathGrant(path, intent, paths)
  const rules = { known: secrets, isAllowed: hooks.isNoSecret }
  const shown = { stdout: redactAndList(end.stdout, rules), stderr: redactAndList(end.stderr, rules) }
  hooks.onHidden([...shown.stdout.hidden, ...shown.stderr.hidden])
  const directly = layer === null ? '' : sayPassthrough(settings)
  return presentEnd(end, `${confinement.label}${directly}`, secrets, {
    printed: { stdout: shown.stdout.text, stderr: shown.stderr.text },
    binaryBytes: shareOfStream(settings, hooks),
    spilledAs: storedPath(hooks.execution),
    wanted: explainWanted(end, confinement, request, {
      settings,
      workspace,
      judge,
      sharedGitAround: (path) => sharedGitAround(path, workspace, paths.home),
    }),
    leftForGit: findLeft(),
    isOnLayer: layer !== null,
  })
}

function locateFolder(path: string, workspace: Workspace): string {
  const located = workspace.locate({ path, intent: 'list' })
  if (!located.ok) throw new ToolFailure(located.error)
  if (located.kind === 'dir') return located.absolute
  const fault = located.kind === 'missing' ? 'does not exist' : 'is not a folder'
  throw failure('bad_args', `The working folder ${located.display} ${fault}.`, { path: located.display }, [
    'Pass an existing folder, relative to the root, or leave it out.',
  ])
}

/** How much of one stream is kept, so that both streams and the text around them fit into the result. */
function shareOfStream(settings: Settings, { maxOutputBytes }: ShellHooks): number {
  return Math.floor(Math.min(settings['tools.output.max_bytes'], maxOutputBytes) / SHARE_OF_A_STREAM)
}

/** Passes output on with its secrets redacted, including those split across chunks. */
function watch(secrets: readonly string[], { emit, isNoSecret }: ShellHooks) {
  const streams = {
    stdout: createRedactingStream(secrets, isNoSecret),
    stderr: createRedactingStream(secrets, isNoSecret),
  }
  const show = (stream: 'stdout' | 'stderr', text: string): void => {
    if (text !== '') emit(stream, text)
  }
  return {
    take: (stream: 'stdout' | 'stderr', chunk: string): void => show(stream, streams[stream].push(chunk)),
    end: (): void => {
      for (const stream of ['stdout', 'stderr'] as const) show(stream, streams[stream].end())
    },
  }
}
