import { NAMESPACE_FD, REPORT_FD } from '../confine/confinement.ts'
import type { LimitName, RunLimits } from './run-request.ts'

/** What the script says as its first word. */
export const READY = 'ready'
const LOST = 'lost'
const BLOCK_BYTES = 512
const KILOBYTE = 1024
/** Descriptors that are not for the command; those of the inputs are closed by who reads them. */
const OURS = [REPORT_FD, NAMESPACE_FD]
/** Processes of the sandbox itself that count with those of the command. */
const OWN_PROCESSES = 2

/**
 * Puts a command behind a few lines of shell. They set the limits, and stay to tell how the command ended: bubblewrap
 * reports a signal as an exit code, but a shell also names it on its own error output, which leads to the witness here.
 * The command itself has the error output that it should have, and no way to the witness.
 */
export function wrapCommand(
  argv: readonly string[],
  limits: RunLimits,
  canLimitProcesses: boolean,
): readonly string[] {
  const { cpuSeconds, memoryBytes, processes, fileBytes } = limits
  const lines = [
    `echo ${READY} >&${REPORT_FD}`,
    'ulimit -c 0',
    limit('cpuSeconds', '-t', cpuSeconds),
    limit('memoryBytes', '-d', memoryBytes === undefined ? undefined : memoryBytes / KILOBYTE),
    limit('fileBytes', '-f', fileBytes === undefined ? undefined : fileBytes / BLOCK_BYTES),
    limit(
      'processes',
      '-u',
      canLimitProcesses && processes !== undefined ? processes + OWN_PROCESSES : undefined,
      '-p',
    ),
    // A handler, which the command does not inherit: who is asked to end is the command, and the script stays to tell.
    'trap : TERM',
    `exec 9>&2 2>&${REPORT_FD} ${OURS.map((fd) => `${fd}>&-`).join(' ')}`,
    '(exec "$@" 2>&9 9>&-)',
    // Without a further command the shell would become the program instead of waiting for it.
    'exit $?',
  ]
  return ['/bin/sh', '-c', lines.filter((line) => line !== '').join('\n'), 'tongs', ...argv]
}

/** Shells differ in the letter for processes: the second is tried where the first is not known. */
function limit(name: LimitName, flag: string, value: number | undefined, otherFlag?: string): string {
  if (value === undefined) return ''
  const amount = Math.max(1, Math.ceil(value))
  const tries = [flag, ...(otherFlag === undefined ? [] : [otherFlag])].map(
    (one) => `ulimit ${one} ${amount} 2>/dev/null`,
  )
  return `${tries.join(' || ')} || echo ${LOST} ${name} >&${REPORT_FD}`
}

/** What the script told. */
export interface ScriptReport {
  /** Whether it began at all; if not, what stands around it failed. */
  readonly isReady: boolean
  /** Limits that the system would not take. */
  readonly lostLimits: readonly string[]
  /** Whether the command was ended by a signal, as far as a shell says so. */
  readonly namesSignal: boolean
}

/** Reads what the script wrote to the witness. */
export function readScriptReport(text: string): ScriptReport {
  const lines = text.split('\n').filter((line) => line !== '')
  const lost = lines.filter((line) => line.startsWith(`${LOST} `))
  return {
    isReady: lines[0] === READY,
    lostLimits: lost.map((line) => line.slice(LOST.length + 1)),
    namesSignal: lines.length > 1 + lost.length,
  }
}

const SIGNAL_BASE = 128
/** Shells say nothing of these, because people cause them all the time. */
const UNNAMED = new Set(['SIGINT', 'SIGPIPE'])

/** Tells an exit code from a signal. */
export function settleExit(
  code: number | null,
  signal: string | null,
  namesSignal: boolean,
  signals: Readonly<Record<string, number>>,
): { readonly exitCode: number | null; readonly signal: string | null } {
  if (code === null || code <= SIGNAL_BASE) return { exitCode: code, signal }
  const name = Object.keys(signals).find((one) => signals[one] === code - SIGNAL_BASE)
  const isSignal = name !== undefined && (namesSignal || UNNAMED.has(name))
  return isSignal ? { exitCode: null, signal: name } : { exitCode: code, signal: null }
}
