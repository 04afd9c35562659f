import { HARDENING_SEED } from '../long-run.ts'

/** The one fault to be repeated, if somebody asks for one. Its name must not begin like our own settings. */
const asked = process.env['FAULTS_REPEAT'] ?? ''

/** Where the random choices begin; what breaks is named with the command that repeats it. */
export const SEED = Number(process.env['FAULTS_SEED'] ?? HARDENING_SEED)

/** Whether a fault is to be tried now: all are, unless one is to be repeated. */
export function isWanted(fault: string): boolean {
  return asked === '' || asked === fault
}

/** The fault to be repeated where it is one of this kind, null where there is none or another. */
export function repeated(kind: string): string | null {
  return asked.startsWith(`${kind}|`) ? asked.slice(kind.length + 1) : null
}

/** What is broken after a fault, each with the command that shows it again. */
export function describeBroken(fault: string, file: string, broken: readonly string[]): readonly string[] {
  return broken.map((law) => `${law}\n    FAULTS_REPEAT='${fault}' npx vitest run ${file}`)
}
