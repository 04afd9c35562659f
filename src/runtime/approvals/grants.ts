import type { Actor } from '../../core/call.ts'
import { describeGrant, standingOf } from '../../core/grant.ts'
import type { Grant, Standing } from '../../core/grant.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import type { GrantShelf, IgnoredGrant } from '../../journal/grants/grant-store.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A grant with its plain sentence and how it stands. */
export interface ShownGrant extends Grant {
  readonly standing: Standing
}

/** What is remembered for a root. */
export interface GrantsReport {
  /** In the order they were given; those that have ended are there until they are pruned. */
  readonly grants: readonly ShownGrant[]
  /** Records that count for nothing, because something else than tongs wrote them. */
  readonly ignored: readonly IgnoredGrant[]
}

/** What came of revoking; `why` is the end of a sentence. */
export type Revocation =
  | { readonly ok: true; readonly grant: ShownGrant; readonly isNew: boolean }
  /** The record was one that is ignored, and it is gone. */
  | { readonly ok: true; readonly removed: string }
  | { readonly ok: false; readonly why: string }

/** The grants of a root, each with a sentence that says all of it. */
export function readGrants(shelf: GrantShelf, root: string, now: number): GrantsReport {
  const { grants, ignored } = shelf.read(root)
  return { grants: grants.map((grant) => show(grant, now)), ignored }
}

/** What revoking needs. */
export interface RevokeOptions {
  readonly sessions: Sessions
  readonly root: string
  /** Whose log says that it was done, if nobody else has it open. */
  readonly session: string
  readonly actor: Actor | null
  readonly now: number
}

/** Ends the one grant that an id, or the beginning of one, means. It holds from now on, for every process. */
export async function revokeGrant(id: string, options: RevokeOptions): Promise<Revocation> {
  const { sessions, root, now } = options
  const shelf = sessions.grants()
  const { grants, ignored } = shelf.read(root)
  const known = [...grants, ...ignored].map((one) => one.id)
  const [match, ...others] = known.includes(id)
    ? [id]
    : known.filter((one) => id !== '' && one.startsWith(id))
  if (match === undefined) return { ok: false, why: 'names no grant of this root; see tongs grants --all' }
  if (others.length > 0) return { ok: false, why: `could be any of ${[match, ...others].join(', ')}` }
  const before = grants.find((grant) => grant.id === match)
  if (before === undefined) {
    shelf.remove(root, [match])
    return { ok: true, removed: match }
  }
  const grant = shelf.revoke(root, match, now)
  if (grant === null) return { ok: false, why: 'was changed meanwhile; see tongs grants' }
  const isNew = before.revoked_at === null
  if (isNew) await noteRevocation(grant, options)
  return { ok: true, grant: show(grant, now), isNew }
}

async function noteRevocation(
  { id, tool, sentence }: Grant,
  { sessions, session, actor, now }: RevokeOptions,
) {
  const log = await sessions.tryOpen(session)
  const data = { grant: id, tool, sentence, revoked_by: actor?.id ?? null, revoked_at: now }
  log?.append({ entries: [{ kind: 'note', about: 'revoked', execution: null, data }], reliance: 'recorded' })
}

function show(grant: Grant, now: number): ShownGrant {
  return { ...grant, sentence: redactForApproval(describeGrant(grant)), standing: standingOf(grant, now) }
}
