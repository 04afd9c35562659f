import type { Settings } from '../../config/keys.ts'
import { ToolFailure } from '../../core/error.ts'
import type { Confinement } from '../../host/confine/confinement.ts'
import { platform } from '../../host/system/platform.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import { createRunner } from '../../host/run/runner.ts'
import type { Runner } from '../../host/run/runner.ts'
import type { GateRunner } from '../../pipeline/memory/gate-runner.ts'
import type { GateReply } from '../../policy/external/gate-answer.ts'
import { environmentRules } from './child-environment.ts'
import { pathOutside } from '../../host/run/order-path.ts'
import { placeForRunner } from './shell-confinement.ts'

/** A gate runner that can be closed. */
export interface OwnedGateRunner extends GateRunner {
  readonly close: () => Promise<void>
}

/** Longer than any valid answer. */
const MAX_REPLY_BYTES = 65_536

/** Gates are the user's own programs and may need access that no tool has. */
const UNCONFINED: Confinement = {
  level: 'none',
  label: 'a gate',
  hasNetwork: true,
  reach: () => null,
  launch: ({ argv, cwd, env }) => ({ argv, env, cwd, inputs: [], isNamespaced: false, guard: null }),
}

/**
 * Opens the runner of the configured gates; null if there are none. The settings are those without the project's file: a
 * gate that lacks a variable might find nothing to object to.
 */
export function openGateRunner(settings: Settings, roots: readonly string[]): OwnedGateRunner | null {
  if (settings['tools.gates'].length === 0) return null
  let runner: Runner | null = null
  return {
    answered: new WeakMap(),
    async ask({ command, timeout_seconds }, input, signal): Promise<GateReply> {
      runner ??= createRunner({ place: placeForRunner(settings, roots) })
      const PATH = pathOutside(process.env['PATH'] ?? '', roots)
      const { variables } = childEnvironment({ ...process.env, PATH }, environmentRules(settings), platform)
      try {
        const {
          exitCode,
          signal: killer,
          stdout,
          stderr,
          isTimedOut,
          isCancelled,
        } = await runner.run(
          {
            argv: command,
            // Not the workspace: no file in it may change what the program is or does.
            cwd: '/',
            env: variables,
            stdin: input,
            timeoutMs: timeout_seconds * 1000,
            keepBytes: MAX_REPLY_BYTES,
            confinement: UNCONFINED,
            limits: {},
            graceMs: settings['tools.shell.grace_seconds'] * 1000,
            spill: null,
          },
          { signal },
        )
        if (isCancelled) return { is: 'cancelled' }
        if (isTimedOut) return { is: 'timed_out' }
        return { is: 'ended', exitCode, signal: killer, stdout, stderr }
      } catch (thrown) {
        return { is: 'unstarted', why: thrown instanceof ToolFailure ? thrown.error.message : String(thrown) }
      }
    },
    close: async () => runner?.close(),
  }
}
