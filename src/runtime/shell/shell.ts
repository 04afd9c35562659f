import { delimiter, join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import type { ProcessEnd, ShellStatus, SpawnRequest } from '../../core/powers.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { createRedactingStream } from '../../core/text/secrets/redact-stream.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import type { Confinement } from '../../host/confine/confinement.ts'
import { homeFolder, userConfigFile } from '../../host/fs/folders.ts'
import { platform } from '../../host/system/platform.ts'
import { keyLimits } from '../../host/run/describe-limits.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import type { RunEnd } from '../../host/run/run-request.ts'
import type { Runner } from '../../host/run/runner.ts'
import type { Shell, ShellHooks } from '../../pipeline/engine.ts'
import { outputPathFor } from '../../workspace/landing/backups.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { environmentRules } from './child-environment.ts'
import { explainWanted } from './explain-wanted.ts'
import { judgePathGrant } from './granted-paths.ts'
import type { PathGrantDeps } from './granted-paths.ts'
import { findShellConfinement, describeShellLimits, runLimits } from './shell-confinement.ts'

/** A shell that can be let go of. */
export interface OwnedShell extends Shell {
  /** Gets ready to start commands while this process is small: later that would hold its event loop up. */
  readonly warm: () => Promise<void>
  readonly close: () => Promise<void>
}

const UNKNOWN: ShellStatus = {
  holds: false,
  reason: 'Nobody has looked yet what could confine commands.',
  advice: [],
}
/** Of the answer, so that both streams and what is said around them fit. */
const SHARE_OF_A_STREAM = 3

/** Runs commands of a root, confined by the best that holds here. */
export function openShell(
  settings: Settings,
  workspace: Workspace,
  { stateDir, outputFolder }: { readonly stateDir: string; readonly outputFolder: string },
): OwnedShell {
  let level: ConfinementLevel | null = null
  let runner: Runner | null = null
  let isClosed = false
  let status: ShellStatus | null = null
  const home = homeFolder(process.env)
  const pathDeps: PathGrantDeps = {
    workspace,
    home,
    own: [stateDir, join(userConfigFile(process.env), '..')],
  }
  const limits = runLimits(settings)

  /** Where a path leads that a person has granted; what has changed since then is judged again. */
  const grant = (path: string, intent: 'read' | 'write') => {
    const access = judgePathGrant(path, intent, pathDeps)
    if (!access.ok) throw new ToolFailure(access.error)
    return access
  }

  const confine = (
    found: ConfinementLevel & { readonly holds: true },
    request: SpawnRequest,
    path: string,
  ): Confinement => {
    const read = (request.extraAccess?.read ?? []).map((one) => grant(one, 'read'))
    const write = (request.extraAccess?.write ?? []).map((one) => grant(one, 'write'))
    const folders = write.filter(({ kind }) => kind === 'folder').map(({ real }) => real)
    const granted = [...read, ...write].filter(({ kind }) => kind === 'folder').map(({ real }) => real)
    return found.confine({
      // A folder that may be written is shielded like a root: the repositories in it stay what they are.
      roots: [...workspace.roots, ...folders.filter((folder) => !workspace.roots.includes(folder))],
      home,
      path,
      read: [...settings['tools.shell.read'], ...read.map(({ real }) => real)],
      write: write.filter(({ kind }) => kind === 'file').map(({ real }) => real),
      masked: [
        ...findMasked(workspace),
        ...[...settings['tools.shell.read'], ...granted].flatMap((place) => findHidden(place, workspace)),
      ],
      hasNetwork: request.extraAccess?.network ?? false,
      scratchBytes: settings['tools.shell.limits.scratch_bytes'],
    })
  }

  const openRunner = async (): Promise<Runner> => {
    const { createRunner } = await import('../../host/run/runner.ts')
    runner ??= createRunner()
    return runner
  }

  return {
    async warm() {
      const isOn = settings['tools.run_shell.enabled'] || settings['tools.run_command.enabled']
      if (!isOn || platform === 'windows') return
      const opened = await openRunner()
      // Meanwhile nobody may want it any more.
      if (!isClosed) opened.warm()
    },
    async ready() {
      if (level !== null) return
      level ??= await findShellConfinement(settings)
    },
    status() {
      if (level === null) return UNKNOWN
      if (!level.holds) return level
      const { name, label } = level
      const isSandboxed = name === 'bwrap' || name === 'seatbelt'
      status ??= { holds: true, label, isSandboxed, limits: describeShellLimits(limits, name) }
      return status
    },
    judgePath(path, intent) {
      const access = judgePathGrant(path, intent, pathDeps)
      return access.ok ? null : access.error
    },
    async run(request, hooks) {
      if (level === null || !level.holds)
        throw failure('not_allowed', 'Nothing confines commands here.', {}, ['See tongs doctor.'])
      const located = workspace.locate({ path: request.cwd ?? '.', intent: 'list' })
      if (!located.ok) throw new ToolFailure(located.error)
      if (located.kind !== 'dir') {
        const fault = located.kind === 'missing' ? 'does not exist' : 'is no folder'
        throw failure(
          'bad_args',
          `The folder to run in, ${located.display}, ${fault}.`,
          { path: located.display },
          ['Name a folder that is there, relative to the root, or leave it out.'],
        )
      }
      const environment = childEnvironment(process.env, environmentRules(settings, request.env), platform)
      const programPath = environment.variables['PATH'] ?? ''
      const confinement = confine(level, request, programPath)
      const secrets = environment.secrets.map(({ value }) => value)
      const spillTo = outputPathFor(outputFolder, hooks.session, hooks.execution)
      const spilledAs = `tongs:output/${hooks.execution}`
      const live = watch(secrets, hooks)
      const started = await openRunner()
      const end = await started.run(
        {
          argv: request.argv,
          cwd: located.absolute,
          env:
            request.programs === undefined
              ? environment.variables
              : {
                  ...environment.variables,
                  PATH: `${join(located.absolute, request.programs)}${delimiter}${programPath}`,
                },
          stdin: request.stdin ?? null,
          timeoutMs: request.timeoutMs,
          keepBytes:
            request.keepBytes ??
            Math.floor(
              Math.min(settings['tools.output.max_bytes'], hooks.maxOutputBytes) / SHARE_OF_A_STREAM,
            ),
          confinement,
          limits,
          graceMs: settings['tools.shell.grace_seconds'] * 1000,
          spill: settings['tools.output.spill']
            ? {
                path: spillTo,
                maxBytes: settings['tools.output.spill_max_bytes'],
                note: `; ${spilledAs}`,
                secrets,
              }
            : null,
        },
        {
          signal: hooks.signal,
          ...(hooks.isWatched
            ? {
                onChunk: (stream, chunk) => {
                  if (stream !== request.unwatched) live.take(stream, chunk)
                },
              }
            : {}),
        },
      )
      live.end()
      return presentEnd(end, confinement, secrets, {
        spilledAs,
        wanted: explainWanted(end, confinement, request, {
          settings,
          workspace,
          judge: (path, intent) => judgePathGrant(path, intent, pathDeps),
        }),
      })
    },
    async close() {
      isClosed = true
      await runner?.close()
    },
  }
}

/** What is hidden from every command. A name that cannot be hidden by itself takes its folder along, but not a root. */
function findMasked(workspace: Workspace): readonly string[] {
  const masked = workspace.findDenied()
  const root = workspace.roots.find((one) => masked.includes(one))
  if (root === undefined) return masked
  throw failure(
    'not_allowed',
    `A denied file directly in ${root} has a name that is no UTF-8, and so it cannot be hidden from a command.`,
    { root },
    ['Rename that file, or move it into a folder.'],
  )
}

/** What is denied in a place outside of the workspace, which may itself be denied. */
function findHidden(place: string, workspace: Workspace): readonly string[] {
  return workspace.denyOutside(place) === null ? workspace.findDeniedIn(place) : [place]
}

/** Hands output on with its secrets taken out, also those that two pieces share. */
function watch(secrets: readonly string[], { emit }: ShellHooks) {
  const streams = { stdout: createRedactingStream(secrets), stderr: createRedactingStream(secrets) }
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

function presentEnd(
  end: RunEnd,
  confinement: Confinement,
  secrets: readonly string[],
  { spilledAs, wanted }: { readonly spilledAs: string; readonly wanted: ProcessEnd['wanted'] },
): ProcessEnd {
  const { spilled, spillFault } = end
  return {
    exitCode: end.exitCode,
    signal: end.signal,
    stdout: redactSecrets(end.stdout, secrets),
    stderr: redactSecrets(end.stderr, secrets),
    durationMs: end.durationMs,
    isTimedOut: end.isTimedOut,
    isCancelled: end.isCancelled,
    sandbox: confinement.label,
    limits: keyLimits(end.limitsHeld),
    wanted,
    rest:
      spilled === undefined && spillFault === undefined
        ? null
        : { path: spilled === undefined ? null : spilledAs, note: spillFault ?? null },
  }
}
