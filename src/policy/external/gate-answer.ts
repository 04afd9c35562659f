import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import { isJsonObject, ownFields } from '../../core/json/value.ts'
import { scanJsonText } from '../../core/json/scan.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { ellipsis } from '../../core/text/truncate.ts'

/** How the program behind a gate ended. */
export type GateReply =
  | {
      readonly is: 'ended'
      readonly exitCode: number | null
      readonly signal: string | null
      readonly stdout: string
      readonly stderr: string
    }
  | { readonly is: 'timed_out' }
  | { readonly is: 'cancelled' }
  | { readonly is: 'unstarted'; readonly why: string }

/** A gate's answer about a call. No answer can override the other gates. */
export interface GateAnswer {
  readonly gate: string
  readonly verdict: 'abstain' | 'ask' | 'deny' | 'cancelled'
  /** Its message, sanitized for a terminal. */
  readonly say: string | null
  /** Why it counts as a denial although the gate gave no verdict. */
  readonly fault: 'timeout' | 'exit' | 'unreadable' | 'unstarted' | null
}

/** The part of an answer that is recorded, for judging the call again. */
export type RecordedAnswer = Pick<GateAnswer, 'gate' | 'verdict'>

const SAY_CHARS = 300
const VERDICTS = ['abstain', 'ask', 'deny'] as const

/** Reads a gate's reply; anything unexpected counts as a denial. */
export function readGateReply({ name: gate, timeout_seconds }: GateSetting, reply: GateReply): GateAnswer {
  const broken = (fault: GateAnswer['fault'], say: string): GateAnswer => ({
    gate,
    verdict: 'deny',
    say: show(say),
    fault,
  })
  switch (reply.is) {
    case 'cancelled':
      return { gate, verdict: 'cancelled', say: null, fault: null }
    case 'timed_out':
      return broken('timeout', `it did not answer within ${timeout_seconds} s`)
    case 'unstarted':
      return broken('unstarted', `it could not be started: ${reply.why}`)
    case 'ended':
      break
  }
  const { exitCode, signal, stdout, stderr } = reply
  if (exitCode !== 0) {
    const end = exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`
    const complaint = stderr.trim()
    return broken('exit', complaint === '' ? `it ended with ${end}` : `it ended with ${end}: ${complaint}`)
  }
  const answer = readAnswer(stdout.trim())
  if (answer === null) {
    const said = stdout.trim() === '' ? 'nothing' : stdout.trim()
    return broken('unreadable', `its answer is not one of ${VERDICTS.join(', ')}: ${said}`)
  }
  return { gate, verdict: answer.verdict, say: answer.say === null ? null : show(answer.say), fault: null }
}

function readAnswer(
  text: string,
): { readonly verdict: (typeof VERDICTS)[number]; readonly say: string | null } | null {
  const bare = VERDICTS.find((verdict) => verdict === text)
  if (bare !== undefined) return { verdict: bare, say: null }
  const scanned = scanJsonText(text)
  // An object with two verdicts is not valid.
  if (!scanned.ok || scanned.problems.length > 0 || !isJsonObject(scanned.value)) return null
  const { verdict: word, say } = ownFields(scanned.value)
  const verdict = VERDICTS.find((known) => known === word)
  if (verdict === undefined) return null
  return { verdict, say: typeof say === 'string' && say.trim() !== '' ? say : null }
}

function show(text: string): string {
  return ellipsis(sanitise(redactSecrets(text.trim()), { oneLine: true, showSequences: true }), SAY_CHARS)
}

const WORDS = [
  ['deny', 'deny'],
  ['no answer', 'deny'],
  ['ask', 'ask'],
] as const satisfies readonly (readonly [string, GateAnswer['verdict']])[]

/**
 * The recorded answers of gates about a call; a gate that was not asked then counts as abstaining. Logs of earlier
 * versions contain only the fact, which is parsed instead.
 */
export function readRecordedAnswers(
  gates: readonly GateSetting[],
  fact: string,
  answers?: readonly RecordedAnswer[],
): readonly GateAnswer[] {
  return gates.map(({ name: gate }) => {
    const verdict =
      answers === undefined
        ? WORDS.find(([word]) => `; ${fact}`.includes(`; ${gate}: ${word}`))?.[1]
        : answers.find((one) => one.gate === gate)?.verdict
    return { gate, verdict: verdict ?? 'abstain', say: 'as recorded', fault: null }
  })
}
