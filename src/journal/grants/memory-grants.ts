import type { Grant } from '../../core/grant.ts'
import { seal, sealKey, secretBytes } from '../../host/system/hash.ts'
import { PUT_BACK } from './grant-store.ts'
import type { GrantStore } from './grant-store.ts'

/** Stores grants in memory; they need no seal, because no other process can change them. */
export function createMemoryGrants(): GrantStore {
  const roots = new Map<string, Map<string, Grant>>()
  const key = sealKey(secretBytes(32))
  /** Ids stay revoked, also if a grant with such an id is added again. */
  const revoked = new Set<string>()
  const withdrawn = new Set<string>()
  const isBack = ({ id, revoked_at }: Grant): boolean => revoked_at === null && revoked.has(id)
  let revision = 0
  const of = (root: string): Map<string, Grant> => {
    const known = roots.get(root) ?? new Map<string, Grant>()
    roots.set(root, known)
    return known
  }
  return {
    revision: () => revision,
    hashValue: (text) => seal(key, `tongs value 1\n${text}`),
    sealAnswer: (text) => seal(key, `tongs answer 1\n${text}`),
    read: (root) => {
      const all = [...of(root).values()]
      const ignored = all.filter(isBack).map(({ id, tool }) => ({ id, tool, why: PUT_BACK }))
      return { grants: all.filter((grant) => !isBack(grant)), ignored }
    },
    // One process has it, which knows by itself what it has seen expire.
    outlived: () => new Set(),
    // What is trusted outlives a process, and so is never kept here.
    noteTrust: () => undefined,
    noteWithdrawn: (answers) => {
      for (const answer of answers) withdrawn.add(answer)
    },
    mayBeWithdrawn: (answer) => withdrawn.has(answer),
    add: (root, grant) => {
      of(root).set(grant.id, grant)
      if (grant.revoked_at !== null) revoked.add(grant.id)
      revision++
    },
    use: (id) => {
      for (const grants of roots.values()) {
        const grant = grants.get(id)
        if (grant !== undefined) grants.set(id, { ...grant, used: grant.used + 1 })
      }
    },
    revoke: (root, id, at) => {
      const grant = of(root).get(id)
      if (grant === undefined || isBack(grant)) return null
      if (grant.revoked_at !== null) return grant
      const ended = { ...grant, revoked_at: at }
      of(root).set(id, ended)
      revoked.add(id)
      revision++
      return ended
    },
    prune: (endedBefore) => {
      for (const grants of roots.values()) {
        for (const { id, revoked_at, expires_at } of grants.values())
          if (Math.min(revoked_at ?? Infinity, expires_at ?? Infinity) < endedBefore) grants.delete(id)
      }
      revision++
    },
    remove: (root, ids) => {
      for (const id of ids) of(root).delete(id)
      revision++
    },
  }
}
