import { settingsOf } from '../../config/keys.ts'
import { describeBackgroundEnd } from '../../core/shell/background.ts'
import type { BackgroundReport } from '../../core/shell/background.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { PowersOf } from '../../core/tool.ts'
import { factsForResult, fitStreams, requireEnded, withoutDropped } from './process-result.ts'

/** The arguments of a command that concern the background. */
export interface BackgroundArguments {
  readonly cmd?: readonly string[]
  readonly background?: boolean
  readonly handle?: string
  readonly stop?: boolean
  readonly timeout?: number
}

/** What is wrong with them together; null if nothing is. */
export function findBackgroundFault(args: BackgroundArguments): string | null {
  const { cmd, handle, stop, background } = args
  if (handle === undefined && cmd === undefined) return 'cmd is missing: give the program and its arguments'
  if (handle === undefined)
    return stop === true ? 'stop needs the handle of a command in the background' : null
  const others = Object.keys(args).filter((name) => !['handle', 'stop', 'timeout'].includes(name))
  const isPlain = others.length === 0 || (background === false && others.length === 1)
  return isPlain ? null : `handle goes only with stop and timeout, not with ${others.join(', ')}`
}

/** Starts a command that goes on, and returns its handle with its first output. */
export async function startBackground(
  { timeoutMs: _call, ...request }: SpawnRequest,
  { background, settings, maxOutputBytes }: PowersOf['spawn'],
) {
  const timeoutMs = settingsOf(settings)['tools.shell.background.max_seconds'] * 1000
  const report = await background.start({ ...request, timeoutMs })
  // What ends at once did not come to serve anything, so its error is told as that of any command.
  const ended = report.end?.process ?? null
  if (ended !== null) requireEnded(ended, request.argv)
  return fitStreams(shape(report, true), maxOutputBytes)
}

/** Returns what is new of a command in the background; with a timeout, waits for it. */
export async function readBackground(
  { handle = '', stop = false, timeout = 0 }: BackgroundArguments,
  { background, timeoutMs, maxOutputBytes }: PowersOf['spawn'],
) {
  // The call itself must not run out of time.
  const waitMs = Math.min(timeout * 1000, timeoutMs / 2)
  return fitStreams(shape(await background.read(handle, { waitMs, stop }), false), maxOutputBytes)
}

const HIDDEN = '[redacted'

function shape(report: BackgroundReport, isNew: boolean) {
  const { handle, state, stdout, stderr, layer, sandbox, runningMs, end } = report
  const ended = end?.process ?? null
  const call = JSON.stringify({ handle })
  const hides = stdout.includes(HIDDEN) || stderr.includes(HIDDEN)
  const notes = [
    end === null
      ? `it goes on in the background; read more with run_shell ${call}, stop it with "stop": true`
      : `the command in the background ${describeBackgroundEnd(end)}`,
    ...(isNew ? [layer === 'none' ? NO_LAYER : NOTHING_LANDS] : []),
    ...(hides ? ['what looked like a secret in this output is hidden'] : []),
  ]
  return {
    handle,
    state,
    ...(end === null ? {} : { exit_code: end.exitCode, signal: end.signal }),
    stdout,
    stderr,
    duration_ms: Math.round(runningMs),
    ...(ended === null ? { sandbox } : factsForResult(withoutDropped(ended))),
    layer,
    notes,
  }
}

const NOTHING_LANDS =
  'what it writes in the workspace is seen by itself alone and dropped at its end; other commands cannot reach it unless both have network'
const NO_LAYER = 'there is no layer here, so it writes to the workspace directly'
