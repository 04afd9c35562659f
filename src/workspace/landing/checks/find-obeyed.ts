import { findGitPlace, findGitPlaces } from '../../../host/git/git-places.ts'
import { absoluteOf } from '../../../host/root/rel-path.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import { gitFolderOf } from '../../layers/judge/git-judge.ts'

/** What changes would put where git obeys or runs it by now, each with the reason as the end of a sentence. */
export function findObeyed(
  changes: readonly FileChange[],
): readonly { readonly file: FileChange; readonly why: string }[] {
  const coming = changes.filter(({ path, after }) => after !== null && gitFolderOf(path) === null)
  return [...Map.groupBy(coming, ({ root }) => root)].flatMap(([root, files]) => {
    const found = findGitPlaces([root], root)
    return files.flatMap((file) => {
      if (!found.ok) return [{ file, why: found.why }]
      const place = findGitPlace(found, absoluteOf(root, file.path))
      return place === null || place.isGitFolder ? [] : [{ file, why: place.why }]
    })
  })
}
