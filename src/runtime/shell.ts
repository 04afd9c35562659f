import type { Settings } from '../config/keys.ts'
import { failure } from '../core/error.ts'
import type { ShellStanding } from '../core/powers.ts'
import { redactSecrets } from '../core/text/redact.ts'
import { findConfinement } from '../host/confine/find-confinement.ts'
import { homeFolder } from '../host/folders.ts'
import type { Rung } from '../host/confine/find-confinement.ts'
import { platform } from '../host/platform.ts'
import { childEnvironment } from '../host/run/environment.ts'
import { createRunner } from '../host/run/runner.ts'
import type { Runner } from '../host/run/runner.ts'
import type { Shell } from '../pipeline/house.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { environmentRules } from './environment-rules.ts'

/** A shell that can be let go of. */
export interface OwnedShell extends Shell {
  readonly close: () => Promise<void>
}

const UNKNOWN: ShellStanding = {
  holds: false,
  reason: 'Nobody has looked yet what could confine commands.',
  advice: [],
}

/** Runs commands of a root, confined by the best that holds here. */
export function openShell(settings: Settings, workspace: Workspace): OwnedShell {
  let rung: Rung | null = null
  let runner: Runner | null = null
  const home = homeFolder(process.env)
  return {
    async ready() {
      rung ??= await findConfinement({
        sandbox: settings['tools.shell.sandbox'],
        externalLabel: 'as configured',
        home,
      })
    },
    standing() {
      if (rung === null) return UNKNOWN
      if (!rung.holds) return rung
      return {
        holds: true,
        label: rung.label,
        isSandboxed: rung.name === 'bwrap' || rung.name === 'seatbelt',
      }
    },
    async run(request, { signal, emit }) {
      if (rung === null || !rung.holds) throw failure('not_allowed', 'Nothing confines commands here.')
      const located = workspace.locate({ path: request.cwd ?? '.', intent: 'list' })
      if (!located.ok)
        throw failure(
          located.error.code,
          located.error.message,
          located.error.details,
          located.error.recovery,
        )
      const environment = childEnvironment(process.env, environmentRules(settings, request.env), platform)
      const confinement = rung.confine({
        roots: workspace.roots,
        home,
        path: environment.variables['PATH'] ?? '',
        read: settings['tools.shell.read'],
        write: [],
        masked: workspace.findDenied(),
        hasNetwork: false,
      })
      runner ??= createRunner()
      const secrets = environment.secrets.map(({ value }) => value)
      const clean = (text: string): string => redactSecrets(text, secrets)
      const end = await runner.run(
        {
          argv: request.argv,
          cwd: located.absolute,
          env: environment.variables,
          stdin: request.stdin ?? null,
          timeoutMs: request.timeoutMs,
          keepBytes: request.keepBytes ?? Math.floor(settings['tools.output.max_bytes'] / 3),
          confinement,
          limits: {},
        },
        {
          signal,
          onChunk: (stream, chunk) => (stream === request.unwatched ? undefined : emit(stream, clean(chunk))),
        },
      )
      return {
        exitCode: end.exitCode,
        signal: end.signal,
        stdout: clean(end.stdout),
        stderr: clean(end.stderr),
        durationMs: end.durationMs,
        isTimedOut: end.isTimedOut,
        isCancelled: end.isCancelled,
        sandbox: confinement.label,
      }
    },
    async close() {
      await runner?.close()
    },
  }
}
