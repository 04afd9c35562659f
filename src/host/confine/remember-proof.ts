import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { namesIn, removeFile } from '../fs/private-files.ts'
import { steadyMs } from '../system/clock.ts'

/** How often something is tried that was not ready in time, before that is the answer. */
const TRIES = 2
/** How long it then stays the answer, so that not every command of a busy machine waits for it. */
const UNKNOWN_FOR_MS = 60_000

/** Outcomes by what they are about: one that was found out stays; none that was not ready in time counts for long. */
export function createOutcomes<Outcome>(
  isUnknown: (outcome: Outcome) => boolean,
  nowMs: () => number = steadyMs,
): (about: string, find: () => Promise<Outcome>) => Promise<Outcome> {
  const known = new Map<string, { readonly outcome: Promise<Outcome>; untilMs: number }>()
  return (about, find) => {
    const last = known.get(about)
    if (last !== undefined && nowMs() < last.untilMs) return last.outcome
    const entry = { outcome: findOut(find, isUnknown), untilMs: Infinity }
    known.set(about, entry)
    entry.outcome.then(
      (outcome) => {
        if (isUnknown(outcome)) entry.untilMs = nowMs() + UNKNOWN_FOR_MS
      },
      () => known.delete(about),
    )
    return entry.outcome
  }
}

async function findOut<Outcome>(
  find: () => Promise<Outcome>,
  isUnknown: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  let outcome = await find()
  for (let tries = 1; tries < TRIES && isUnknown(outcome); tries++) outcome = await find()
  return outcome
}

/** Says of something that was tried that it took too long, and which setting decides about that. */
export function describeDelay(timeoutMs: number): string {
  return `not ready within ${timeoutMs / 1000} s (tools.shell.probe_seconds)`
}

/** However little has changed, it is tried again after a day. */
const GOOD_FOR_MS = 86_400_000

/** A proof and what it depends on besides the machine and this program. */
export interface Proof<Outcome> {
  /** Where proofs are remembered, out of reach for commands; null to try anew. */
  readonly folder: string | null
  readonly kind: 'sandbox' | 'layer'
  /** Programs by their paths: another file in the same place is another program. */
  readonly programs: readonly string[]
  readonly facts: readonly string[]
  readonly prove: () => Promise<Outcome>
  /** What a proof that succeeded gives; any other outcome is not remembered. */
  readonly success: Outcome
  readonly isSuccess: (outcome: Outcome) => boolean
}

/**
 * Proves something about the sandbox, or relies on the last proof: it is for the same boot of the system, user, rights,
 * namespaces and mounts, and for the same programs, this one among them. What runs from its sources, which change while
 * somebody works on them, is always tried.
 */
export async function proveOnce<Outcome>(
  proof: Proof<Outcome>,
  code: string = import.meta.filename,
): Promise<Outcome> {
  const { folder, kind, prove, success, isSuccess } = proof
  const digest = folder === null ? null : describeAll(proof, code)
  if (folder === null || digest === null) return prove()
  const file = join(folder, `${kind}-${digest}`)
  if (isRemembered(file)) return success
  const outcome = await prove()
  if (isSuccess(outcome)) remember(folder, file)
  return outcome
}

function isRemembered(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.uid !== process.getuid?.()) return false
  // The clock of files counts parts of a millisecond.
  const age = Date.now() - Math.floor(found.mtimeMs)
  return age >= 0 && age < GOOD_FOR_MS
}

/** Nothing depends on whether this succeeds. */
function remember(folder: string, file: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of namesIn(folder)) if (!isRemembered(join(folder, name))) removeFile(join(folder, name))
    writeFileSync(file, '', { mode: 0o600 })
  } catch {
    return
  }
}

/** Everything that a proof depends on as one text; null if some of it is unknown here, or may change unseen. */
function describeAll(
  { programs, facts }: Pick<Proof<never>, 'programs' | 'facts'>,
  code: string,
): string | null {
  if (extname(code) === '.ts') return null
  try {
    const parts = [
      ...[code, process.execPath, ...programs].map(identify),
      ...['user', 'mnt', 'pid', 'net', 'cgroup'].map((name) => readlinkSync(`/proc/self/ns/${name}`)),
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readRights(),
      ...SWITCHES.map(readIfThere),
      ...facts,
    ]
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  } catch {
    return null
  }
}

function identify(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
  return [path, dev, ino, size, mtimeNs, ctimeNs].join(' ')
}

/** The user, the groups, the capabilities and the filters of this process. */
function readRights(): string {
  return readFileSync('/proc/self/status', 'utf8')
    .split('\n')
    .filter((line) => /^(?:Uid|Gid|Groups|Cap\w+|NoNewPrivs|Seccomp\w*):/.test(line))
    .join('\n')
}

/** What administrators switch namespaces off with, and the profile that this process runs under. */
const SWITCHES = [
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  '/proc/self/attr/current',
]

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
