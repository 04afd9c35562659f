import { failure } from '../../../core/error.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { findHoles } from '../../../host/layer/enter/holes.ts'
import { absoluteOf, relativeTo, showPath } from '../../../host/root/rel-path.ts'
import { readableName } from '../../../host/root/exact-name.ts'
import type { FileStat, Root } from '../../../host/root/root.ts'
import type { FileChange, FileState } from '../../../journal/entries/entry.ts'
import { judgeChanges } from './judge-changes.ts'
import type { LayerReadDeps } from '../layer-deps.ts'

/**
 * Judges changes again when they land, as days may have passed and other things may have landed since they were read.
 * Throws if one of them must not land now.
 */
export function judgeAgain(
  changes: readonly FileChange[],
  rootOf: (path: string) => Root,
  deps: LayerReadDeps,
): void {
  const base = deps.sandbox.roots[0].path
  const settings = { ...deps.settings, onDenied: 'refuse', throwaway: [] } as const
  for (const [top, some] of Map.groupBy(changes, ({ root }) => root)) {
    const displayOf = (path: string): string => {
      const absolute = absoluteOf(top, path)
      return readableName(relativeTo(base, absolute) ?? absolute)
    }
    refuseOutside(some, displayOf, deps)
    const holes = findHoles(top, deps.passthrough ?? [])
    const root = { lower: rootOf(top), changes: some.map(asRead), isCopy: false, holes, displayOf }
    judgeChanges(root, { ...deps, settings })
  }
}

/** Throws if a change lies where no command could have made it any more: the allowed folders may have changed meanwhile. */
function refuseOutside(
  changes: readonly FileChange[],
  displayOf: (path: string) => string,
  { sandbox }: LayerReadDeps,
): void {
  const outside = changes.find(({ root, path }) => !sandbox.holds(absoluteOf(root, path)))
  if (outside === undefined) return
  const attempted = displayOf(outside.path).toWellFormed()
  throw failure(
    'path_outside_sandbox',
    `Nothing was landed: ${showPath(attempted)} is not in an allowed folder any more (tools.sandbox.allowed_roots).`,
    { reason: 'PathOutsideSandbox', attempted },
    ['Ask the user whether the folder should be allowed again, and then run the command again.'],
  )
}

function asRead({ path, before, after }: FileChange): LayerChange {
  return {
    path,
    before: before === null ? null : statOf(before),
    after: after === null ? null : { ...statOf(after), source: { layer: 'upper', path } },
  }
}

/** What judging looks at; the rest of it is not known any more. */
function statOf({ kind, mode, uid, gid }: FileState): FileStat {
  return {
    kind: kind === 'folder' ? 'dir' : kind === 'link' ? 'symlink' : 'file',
    mode,
    uid,
    gid,
    size: 0,
    modifiedMs: 0,
    changedMs: 0,
    ino: 0,
    dev: 0,
    nlink: 1,
    isWhiteout: false,
  }
}
