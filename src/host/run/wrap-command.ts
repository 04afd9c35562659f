import { NAMESPACE_FD, REPORT_FD } from '../confine/confinement.ts'
import { CHANGED } from '../layer/enter/layer-script.ts'
import type { LimitName, RunLimits } from './run-request.ts'

/** The first word that the script reports. */
export const READY = 'ready'
const LOST = 'lost'
const ABSENT = 'absent'
const BLOCK_BYTES = 512
const KILOBYTE = 1024
/** Descriptors that are not for the command; those of the inputs are closed by bubblewrap after reading. */
const OURS = [REPORT_FD, NAMESPACE_FD]
/** Processes of the sandbox itself that count towards the limit of the command. */
const OWN_PROCESSES = 2

/**
 * Wraps a command in a few lines of shell. They set the limits and report how the command ended: bubblewrap turns a
 * signal into an exit code, but a shell also names the signal on its own stderr, which leads to the report here. The
 * command itself keeps its normal stderr and has no access to the report.
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
    // A handler, which the command does not inherit: SIGTERM ends the command, and the script stays to report.
    'trap : TERM',
    // Otherwise the shell would complain on the stderr of the command, in words about this script.
    `case "$(command -v -- "$1" 2>/dev/null)" in */*) ;; *)`,
    // A name that only the shell knows, such as cd, is not a program.
    '(set -f; IFS=:; for folder in $PATH; do [ -x "$folder/$1" ] && exit; done; exit 1) ||',
    `{ echo ${ABSENT} >&${REPORT_FD}; exit 127; } ;; esac`,
    `exec 9>&2 2>&${REPORT_FD} ${OURS.map((fd) => `${fd}>&-`).join(' ')}`,
    '(exec "$@" 2>&9 9>&-)',
    // Without another command after it, the shell would become the program instead of waiting for it.
    'exit $?',
  ]
  return ['/bin/sh', '-c', lines.filter((line) => line !== '').join('\n'), 'tongs', ...argv]
}

/** Shells differ in the flag for processes: the second is tried if the first is not supported. */
function limit(name: LimitName, flag: string, value: number | undefined, otherFlag?: string): string {
  if (value === undefined) return ''
  const amount = Math.max(1, Math.ceil(value))
  const tries = [flag, ...(otherFlag === undefined ? [] : [otherFlag])].map(
    (one) => `ulimit ${one} ${amount} 2>/dev/null`,
  )
  return `${tries.join(' || ')} || echo ${LOST} ${name} >&${REPORT_FD}`
}

/** What the script reported. */
export interface ScriptReport {
  /** Whether the script started at all; if not, the sandbox failed. */
  readonly isReady: boolean
  /** Whether the command was not started because the workspace changed while its sandbox was set up. */
  readonly isChanged: boolean
  /** Limits that the system did not accept. */
  readonly lostLimits: readonly string[]
  /** Whether the program was not found, so that nothing was started. */
  readonly isAbsent: boolean
  /** Whether the shell said that a signal ended the command. */
  readonly namesSignal: boolean
}

/** Parses the report of the script. */
export function readScriptReport(text: string): ScriptReport {
  const lines = text.split('\n').filter((line) => line !== '')
  const isAbsent = lines.at(-1) === ABSENT
  const lost = lines.filter((line) => line.startsWith(`${LOST} `))
  return {
    isReady: lines[0] === READY,
    isChanged: lines[0] === CHANGED,
    lostLimits: lost.map((line) => line.slice(LOST.length + 1)),
    isAbsent,
    namesSignal: !isAbsent && lines.length > 1 + lost.length,
  }
}

const SIGNAL_BASE = 128
/** Shells do not mention these signals, because they are so common. */
const UNNAMED = new Set(['SIGINT', 'SIGPIPE'])

/** Distinguishes an exit code from a signal. */
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
