import type { Actor } from '../../core/call.ts'
import { describeGrant, globOf, grantStatus } from '../../core/grant.ts'
import type { Grant, GrantStatus } from '../../core/grant.ts'
import type { Registry } from '../../core/registry.ts'
import type { Tool } from '../../core/tool.ts'
import { redactForRecord } from '../../core/text/secrets/redact.ts'
import type { GrantStore, IgnoredGrant } from '../../journal/grants/grant-store.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A grant with its sentence and status. */
export interface ShownGrant extends Grant {
  readonly standing: GrantStatus
}

/** The grants of a root. */
export interface GrantsReport {
  /** In the order they were made; grants that have ended are included until they are pruned. */
  readonly grants: readonly ShownGrant[]
  /** Records that do not count, because tongs did not write them. */
  readonly ignored: readonly IgnoredGrant[]
}

/** The outcome of revoking; `why` is the end of a sentence. */
export type Revocation =
  | { readonly ok: true; readonly grant: ShownGrant; readonly isNew: boolean }
  /** An ignored record, which was removed. */
  | { readonly ok: true; readonly removed: string }
  | { readonly ok: false; readonly why: string }

/** The grants of a root, each with a sentence that describes it completely. */
export function readGrants(
  store: GrantStore,
  root: string,
  now: number,
  registry: Pick<Registry, 'find'> | null = null,
): GrantsReport {
  const { grants, ignored } = store.read(root)
  const outlived = store.outlived(root)
  const shown = grants.map((grant) => {
    const one = show(grant, now, registry?.find(grant.tool) ?? null)
    return outlived.has(grant.id) && one.standing === 'standing'
      ? { ...one, standing: 'expired' as const }
      : one
  })
  return { grants: shown, ignored }
}

/** What revoking needs. */
export interface RevokeOptions {
  readonly sessions: Sessions
  readonly root: string
  /** The session whose log records it, unless another process has it open. */
  readonly session: string
  readonly actor: Actor | null
  readonly now: number
}

/** Revokes the grant with an id or unique prefix of one, effective immediately in every process. */
export async function revokeGrant(id: string, options: RevokeOptions): Promise<Revocation> {
  const { sessions, root, now } = options
  const store = sessions.grants()
  const { grants, ignored } = store.read(root)
  const known = [...grants, ...ignored].map((one) => one.id)
  const [match, ...others] = known.includes(id)
    ? [id]
    : known.filter((one) => id !== '' && one.startsWith(id))
  if (match === undefined)
    return { ok: false, why: 'does not match a grant of this root; see tongs grants --all' }
  if (others.length > 0) return { ok: false, why: `could be any of ${[match, ...others].join(', ')}` }
  const before = grants.find((grant) => grant.id === match)
  if (before === undefined) {
    store.remove(root, [match])
    return { ok: true, removed: match }
  }
  const grant = store.revoke(root, match, now)
  if (grant === null) return { ok: false, why: 'was changed in the meantime; see tongs grants' }
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
  log?.append({ entries: [{ kind: 'note', about: 'revoked', execution: null, data }], reliance: 'durable' })
}

function show(grant: Grant, now: number, tool: Tool | null = null): ShownGrant {
  // Its secrets were removed when the call was asked about.
  const shown = grant.shows === undefined ? [] : [grant.shows]
  const places = [...globOf(grant.scope), ...shown]
  const sentence = redactForRecord(describeGrant(grant, tool?.usual?.says), places)
  return { ...grant, sentence, standing: grantStatus(grant, now) }
}
