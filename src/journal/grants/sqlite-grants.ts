import { grantText, readScope } from '../../core/grant.ts'
import type { Grant, GrantScope } from '../../core/grant.ts'
import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { NoteEntry } from '../entries/entry.ts'
import {
  digestAsGiven,
  givenEvent,
  GRANT_CHAIN,
  openGrantChain,
  readGrantHistory,
  revokedEvent,
  trustedEvent,
  withdrawnEvent,
} from './grant-chain.ts'
import type { GrantChainDeps, GrantEvidence, GrantHistory } from './grant-chain.ts'
import { PUT_BACK } from './grant-store.ts'
import type { GrantStore, IgnoredGrant, ReadGrants } from './grant-store.ts'

const INSERT = `INSERT INTO grants
  (id, root, tool, scope, sentence, granted_by, granted_at, expires_at, revoked_at, used, seal)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
  ON CONFLICT (id) DO UPDATE SET root = ?2, tool = ?3, scope = ?4, sentence = ?5, granted_by = ?6,
    granted_at = ?7, expires_at = ?8, revoked_at = ?9, seal = ?11`
/** The event that gave a grant is the first about it. Only what was recorded after it says that time went by. */
const OUTLIVED = `WITH chain AS (SELECT id FROM session WHERE root = ?2 AND name = ?3)
  SELECT g.id FROM grants g WHERE g.root = ?1 AND g.revoked_at IS NULL AND g.expires_at IS NOT NULL
    AND EXISTS (SELECT 1 FROM log l WHERE l.at >= g.expires_at AND l.id > (
      SELECT min(e.id) FROM log e JOIN chain c ON e.session = c.id
      WHERE e.id IN (SELECT p.id FROM place p WHERE p.session = c.id
          UNION ALL SELECT id FROM log WHERE id > (SELECT value FROM meta WHERE key = 'folded'))
        AND CASE WHEN json_valid(e.body) THEN e.body ->> '$.data.grant' = g.id END))`
const CHANGED = "INSERT INTO meta VALUES ('grants', 1) ON CONFLICT DO UPDATE SET value = value + 1"

const TAMPERED = 'its record was changed or was not written by tongs'
const UNRECORDED = 'the log has no entry that gave it, as for grants of earlier versions'
const UNVERIFIED = 'the chain of grants does not verify; run tongs audit verify'

/**
 * Stores grants in the journal's database, each sealed with the state folder's key. The rows are what is looked up; a
 * row counts only if the chain of grants holds its giving and not its revoking.
 */
export function createSqliteGrants(deps: GrantChainDeps): GrantStore {
  const { sqlite, writer, key } = deps
  const chain = openGrantChain(deps)

  const read = (root: string): ReadGrants =>
    writer.guard(() => {
      const rows = sqlite.statement('SELECT * FROM grants WHERE root = ? ORDER BY id').all(root)
      return rows.length === 0 ? { grants: [], ignored: [] } : sortGrants(rows, key, chain.read())
    })

  function put(root: string, grant: Grant, events: readonly NoteEntry[]): void {
    const { id, tool, scope, sentence, granted_by, granted_at, expires_at, revoked_at, used } = grant
    const sealed = seal(key, grantText(grant, root))
    // The column holds what a grant is good for, and where; what is undefined is not written.
    const { folder, shows, version, confined } = grant
    const bound = { ...scope, folder, shows, version, confined }
    const words = [id, root, tool, JSON.stringify(bound), sentence, granted_by] as const
    chain.append(events, () => {
      sqlite.statement(INSERT).run(...words, granted_at, expires_at, revoked_at, used, sealed)
      sqlite.statement(CHANGED).run()
    })
  }

  return {
    revision: () =>
      writer.guard(() =>
        Number(sqlite.statement("SELECT value FROM meta WHERE key = 'grants'").get()?.['value'] ?? 0),
      ),
    read,
    outlived: (root) =>
      writer.guard(() => {
        const found = sqlite.statement(OUTLIVED).all(root, GRANT_CHAIN.root, GRANT_CHAIN.name)
        return new Set(found.map((row) => String(row['id'])))
      }),
    hashValue: (text) => seal(key, `tongs value 1\n${text}`),
    sealAnswer: (text) => seal(key, `tongs answer 1\n${text}`),
    noteWithdrawn: (answers) => chain.append([withdrawnEvent(answers)], () => undefined),
    mayBeWithdrawn: (answer) => {
      const { isWhole, withdrawn } = chain.read()
      return !isWhole || withdrawn.has(answer)
    },
    noteTrust: (what, as) => chain.append([trustedEvent(what, as)], () => undefined),
    add: (root, grant) =>
      put(root, grant, [
        givenEvent(grant, root),
        ...(grant.revoked_at === null ? [] : [revokedEvent(grant)]),
      ]),
    use: (id) =>
      writer.write('recorded', () =>
        sqlite.statement('UPDATE grants SET used = used + 1 WHERE id = ?').run(id),
      ),
    revoke: (root, id, at) => {
      const grant = read(root).grants.find((one) => one.id === id)
      if (grant === undefined) return null
      if (grant.revoked_at !== null) return grant
      const revoked = { ...grant, revoked_at: at }
      put(root, revoked, [revokedEvent(revoked)])
      return revoked
    },
    prune: (endedBefore) => {
      const ended = 'SELECT 1 FROM grants WHERE revoked_at < ?1 OR expires_at < ?1 LIMIT 1'
      if (writer.guard(() => sqlite.statement(ended).get(endedBefore)) === undefined) return
      writer.write('recorded', () => {
        sqlite.statement('DELETE FROM grants WHERE revoked_at < ?1 OR expires_at < ?1').run(endedBefore)
        sqlite.statement(CHANGED).run()
      })
    },
    remove: (root, ids) => {
      if (ids.length === 0) return
      writer.write('durable', () => {
        const statement = sqlite.statement('DELETE FROM grants WHERE id = ? AND root = ?')
        for (const id of ids) statement.run(id, root)
        sqlite.statement(CHANGED).run()
      })
    },
  }
}

/** A grant that another program wrote or put back, for `audit verify`; null if there is none. */
export function findForgedGrant(
  evidence: GrantEvidence,
): { readonly id: string; readonly why: string } | null {
  const rows = evidence.sqlite.statement('SELECT * FROM grants ORDER BY id').all()
  if (rows.length === 0) return null
  const { ignored } = sortGrants(rows, evidence.key, readGrantHistory(evidence))
  return ignored.find(({ why }) => why === TAMPERED || why === PUT_BACK) ?? null
}

function sortGrants(rows: readonly Row[], key: SealKey, history: GrantHistory): ReadGrants {
  const grants: Grant[] = []
  const ignored: IgnoredGrant[] = []
  for (const row of rows) {
    const grant = readRow(row)
    const root = String(row['root'])
    const isSealed = grant !== null && row['seal'] === seal(key, grantText(grant, root))
    const why = isSealed ? whyIgnored(grant, root, history) : TAMPERED
    if (grant !== null && why === null) grants.push(grant)
    else ignored.push({ id: String(row['id']), tool: String(row['tool']), why: why ?? TAMPERED })
  }
  return { grants, ignored }
}

/** A grant that its own record calls revoked allows nothing, so nothing has to vouch for it. */
function whyIgnored(grant: Grant, root: string, { given, revoked, isWhole }: GrantHistory): string | null {
  if (grant.revoked_at !== null) return null
  if (revoked.has(grant.id)) return PUT_BACK
  if (!isWhole) return UNVERIFIED
  return given.get(grant.id) === digestAsGiven(grant, root) ? null : UNRECORDED
}

type Row = Readonly<Record<string, unknown>>

function readRow(row: Row): Grant | null {
  const { scope, ...more } = parseScope(String(row['scope']))
  if (scope === null) return null
  return {
    id: String(row['id']),
    tool: String(row['tool']),
    scope,
    sentence: String(row['sentence']),
    granted_by: String(row['granted_by']),
    granted_at: Number(row['granted_at']),
    expires_at: numberOrNull(row['expires_at']),
    used: Number(row['used']),
    revoked_at: numberOrNull(row['revoked_at']),
    ...more,
  }
}

function parseScope(
  text: string,
): Pick<Grant, 'folder' | 'shows' | 'version' | 'confined'> & { readonly scope: GrantScope | null } {
  try {
    const value: unknown = JSON.parse(text)
    const scope = readScope(value)
    if (scope === null) return { scope }
    const { folder, shows, version, confined } = value as Readonly<Record<string, unknown>>
    return {
      scope,
      ...(typeof folder === 'string' ? { folder } : {}),
      ...(typeof shows === 'string' ? { shows } : {}),
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof confined === 'string' ? { confined } : {}),
    }
  } catch {
    return { scope: null }
  }
}

function numberOrNull(value: unknown): number | null {
  return value === null ? null : Number(value)
}
