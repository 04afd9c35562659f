import { onceEach } from '../follow/effort.ts'
import type { Effort } from '../follow/effort.ts'
import { firstName, kindBelow, mayBeIn } from '../follow/names-below.ts'
import type { GitSetting } from '../git-setting.ts'
import type { NamedPath } from './named-path.ts'
import { findPrograms } from './named-programs.ts'

/** What a line names, whatever the work tree is in which git runs it. */
interface TakenApart {
  readonly elsewhere: readonly NamedPath[]
  /** With paths that the one of a work tree is put before. */
  readonly below: readonly NamedPath[]
  /** What it also names in a work tree that has it, by first names. */
  readonly possible: ReadonlyMap<string, readonly string[]>
}

const takeApartOnce = onceEach<TakenApart>()
/** Stands for any work tree while a line is taken apart; no path can have this name. */
const ANY_TOP = '/\0top'
/** To note a path, measured in characters that are looked up meanwhile. */
const EACH_NOTED = 20

/**
 * Files that the words of a command name, in each of the work trees in which git may run it. Many repositories have the
 * same settings of the user: a line is taken apart once for a judgement, and then only looked for in each work tree.
 */
export function findProgramsAt(
  setting: GitSetting,
  tops: readonly string[],
  home: string,
  effort: Effort,
): readonly NamedPath[] {
  const { key, value, file, givenBy } = setting
  const what = JSON.stringify([key, value, file, givenBy, home])
  const { elsewhere, below, possible } = takeApartOnce(effort, what, () => takeApart(setting, home, effort))
  effort.spend(EACH_NOTED * (elsewhere.length + below.length * tops.length))
  return [
    ...elsewhere,
    ...tops.flatMap((top) => {
      const isThere = [...possible].some(
        ([name, rests]) =>
          mayBeIn(top, name, effort) &&
          rests.some((rest) => kindBelow(top, `${top}${rest}`, effort) !== 'missing'),
      )
      const near: Effort = {
        ...effort,
        kindOf: (path) => kindBelow(path.startsWith(`${top}/`) ? top : home, path, effort),
      }
      const found = isThere ? findPrograms(setting, top, home, near) : []
      return [...below.map((one) => ({ ...one, path: `${top}${one.path}`, top })), ...found]
    }),
  ]
}

function takeApart(setting: GitSetting, home: string, effort: Effort): TakenApart {
  const looks = new Set<string>()
  const found = findPrograms(setting, ANY_TOP, home, {
    ...effort,
    kindOf(path) {
      if (!path.startsWith(`${ANY_TOP}/`)) return effort.kindOf(path)
      looks.add(path.slice(ANY_TOP.length))
      return 'missing'
    },
  })
  const isBelow = ({ path }: NamedPath): boolean => path.startsWith(`${ANY_TOP}/`)
  return {
    elsewhere: found.filter((one) => !isBelow(one)),
    below: found.filter(isBelow).map((one) => ({ ...one, path: one.path.slice(ANY_TOP.length) })),
    possible: Map.groupBy(looks, firstName),
  }
}
