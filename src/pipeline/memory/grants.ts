import type { Clock } from '../../core/clock.ts'
import { describeWords, isActive } from '../../core/grant.ts'
import type { Grant } from '../../core/grant.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import type { GrantCall } from '../../policy/grants/cover.ts'
import {
  grantFor,
  grantOfOtherConfinement,
  grantOfOtherStart,
  indexGrants,
} from '../../policy/grants/find-grant.ts'
import type { GrantIndex } from '../../policy/grants/find-grant.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { Received } from '../step.ts'

/** The current grants of a root, including changes made by other processes. */
export interface Grants {
  /** Finds the grant for a call; the call is described only if the tool has any grant. */
  readonly find: (tool: string, describe: () => GrantCall) => FoundGrant
  /** Whether a grant that was found still counts. */
  readonly stands: (grant: Grant) => boolean
  /** Whether there may be a grant for calls of a tool. */
  readonly isGranted: (tool: string) => boolean
  /** What calls would start, as far as grants depend on it; filled before the calls are judged. */
  readonly starts: WeakMap<Received, readonly SpawnRequest[]>
  readonly add: (grant: Grant) => void
  /** The hash by which a value is remembered. */
  readonly hashValue: (value: string) => string
  /** Seals an answer, so that it counts later although it is read from the log. */
  readonly sealAnswer: (text: string) => string
  /** Whether a person said that a value which looks like a secret is none. */
  readonly isNoSecret: (value: string) => boolean
  /** Counts one call that a grant allowed. */
  readonly use: (id: string) => void
}

/** The narrowest grant that covers a call, and how many records for its tool are ignored because tongs did not write them. */
export interface FoundGrant {
  readonly grant: Grant | null
  readonly ignoredGrants: number
  /** Why a grant does not cover the call although it did when something else would have started; null otherwise. */
  readonly changedStart: string | null
}

/** No grant was found, or none was looked for. */
export const UNGRANTED: FoundGrant = { grant: null, ignoredGrants: 0, changedStart: null }

/** Reads the grants of a root when they are first needed, and again when they have changed. */
export function createGrants(store: () => GrantStore, root: string, clock: Clock): Grants {
  let known: {
    readonly revision: number
    readonly index: GrantIndex
    readonly ignored: readonly string[]
    readonly values: readonly Grant[]
    readonly ids: ReadonlySet<string>
  } | null = null
  /** The clock may be set back; a grant that this process has seen expire stays expired. */
  const start = { now: clock.now(), elapsed: clock.elapsed() }
  let latest = start.now

  function readCurrent(): NonNullable<typeof known> {
    const revision = store().revision()
    if (known === null || known.revision !== revision) {
      const { grants, ignored } = store().read(root)
      const isTimed = grants.some(({ expires_at }) => expires_at !== null)
      const outlived: ReadonlySet<string> = isTimed ? store().outlived(root) : new Set()
      const lasting = grants.filter(
        ({ id, expires_at }) => expires_at === null || (expires_at > latest && !outlived.has(id)),
      )
      const values = lasting.filter(({ scope }) => scope.kind === 'values')
      const ofCalls = lasting.filter(({ scope }) => scope.kind !== 'values')
      const ids = new Set(lasting.flatMap(({ id, revoked_at }) => (revoked_at === null ? [id] : [])))
      known = { revision, index: indexGrants(ofCalls), ignored: ignored.map(({ tool }) => tool), values, ids }
    }
    return known
  }

  function readClock(): number {
    const now = clock.now()
    latest = Math.max(latest, now, start.now + Math.floor(clock.elapsed() - start.elapsed))
    return now
  }

  return {
    find(tool, describe) {
      const now = readClock()
      const { index, ignored } = readCurrent()
      const ignoredGrants = ignored.filter((one) => one === tool).length
      if (!index.has(tool)) return ignoredGrants === 0 ? UNGRANTED : { ...UNGRANTED, ignoredGrants }
      const call = describe()
      const found = grantFor(index, call, now)
      if (found === null || found.expires_at === null || found.expires_at > latest)
        return {
          grant: found,
          ignoredGrants,
          changedStart: found === null ? explain(index, call, now) : null,
        }
      known = null
      const { index: fresh } = readCurrent()
      const grant = grantFor(fresh, call, now)
      return { grant, ignoredGrants, changedStart: grant === null ? explain(fresh, call, now) : null }
    },
    stands({ id, expires_at }) {
      readClock()
      return readCurrent().ids.has(id) && (expires_at === null || expires_at > latest)
    },
    isGranted: (tool) => readCurrent().index.has(tool),
    starts: new WeakMap(),
    hashValue: (value) => store().hashValue(value),
    sealAnswer: (text) => store().sealAnswer(text),
    isNoSecret(value) {
      const { values } = readCurrent()
      if (values.length === 0) return false
      const hash = store().hashValue(value)
      const now = Math.max(latest, clock.now())
      return values.some(
        (grant) =>
          grant.scope.kind === 'values' && grant.scope.digests.includes(hash) && isActive(grant, now),
      )
    },
    add: (grant) => store().add(root, grant),
    use: (id) => store().use(id),
  }
}

/** Why a grant does not cover a call that is confined less, or would start something else; null if there is none. */
function explain(index: GrantIndex, call: GrantCall, now: number): string | null {
  const confined = grantOfOtherConfinement(index, call, now)
  if (confined !== null)
    return `grant ${confined.id} was given for commands that are ${confined.confined ?? 'in the sandbox and on a layer'}`
  const other = grantOfOtherStart(index, call, now)
  if (other?.scope.kind !== 'tool' && other?.scope.kind !== 'arguments') return null
  const { start } = other.scope
  const before =
    start === undefined
      ? `grant ${other.id} does not say what it starts`
      : `grant ${other.id} was given for what is started by ${describeWords(start.words)}`
  const current = call.usual?.start
  return current ? `${before}; now it would be ${describeWords(current.words)}` : before
}
