import { folderIdentity } from '../../host/fs/folders.ts'
import type { Grant } from '../../core/grant.ts'
import type { GrantStore } from './grant-store.ts'

const OF_ANOTHER = 'it was given for another folder, which was here before'

/**
 * Binds grants to the folder that they are given for: another one that takes its place, such as a fresh clone of another
 * project, is not what a person agreed to. Where folders cannot be told apart, the path has to do.
 */
export function bindGrants(store: GrantStore): GrantStore {
  return {
    ...store,
    read(root) {
      const { grants, ignored } = store.read(root)
      if (grants.every(({ folder }) => folder === undefined)) return { grants, ignored }
      const now = folderIdentity(root)
      const isHere = ({ folder }: Grant): boolean => folder === undefined || now === null || folder === now
      const left = grants.filter((grant) => !isHere(grant) && grant.revoked_at === null)
      return {
        grants: grants.filter((grant) => !left.includes(grant)),
        ignored: [...ignored, ...left.map(({ id, tool }) => ({ id, tool, why: OF_ANOTHER }))],
      }
    },
    add(root, grant) {
      const folder = folderIdentity(root)
      store.add(root, folder === null ? grant : { ...grant, folder })
    },
  }
}
