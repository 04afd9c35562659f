import { failure } from '../../../core/error.ts'
import type { GitPlace } from '../../../host/git/git-places.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { absoluteOf, folderOf, partsOf, showPath } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { createFindOwn } from '../../sandbox/own-paths.ts'
import { createFindGitFault, gitFolderOf } from './git-judge.ts'
import type { LayerReadDeps } from '../layer-deps.ts'
import { createFindThrowaway } from './throwaway.ts'

/** A name that does not land, and why. */
export interface LeftOutChange {
  readonly change: LayerChange
  readonly why: string
}

/** What becomes of the changes in one root. */
export interface Judged {
  readonly landing: readonly LayerChange[]
  /** Files that only their attributes or times can distinguish from what is there. */
  readonly touched: readonly LayerChange[]
  /** The outermost names; what is in them does not land either. */
  readonly leftOut: readonly LeftOutChange[]
  /** Everything that is left out, also what is in such a folder. */
  readonly withheld: readonly LayerChange[]
  readonly thrownAway: number
  /** What can be removed from the upper layer. */
  readonly pruned: readonly string[]
}

/** One root of a layer, and its changes. */
export interface JudgedRoot {
  readonly lower: Root
  readonly changes: readonly LayerChange[]
  /** Whether commands worked on a copy, in which an ordinary user owns everything. */
  readonly isCopy: boolean
  /** Relative folders that are not part of the layer, and whether commands write there at once. */
  readonly holes: ReadonlyMap<string, boolean>
  /** Names that commands could not read, by whatever name or link they are denied. */
  readonly hidden?: ReadonlySet<string>
  /** What decided about git when the commands started. */
  readonly firstPlaces?: readonly GitPlace[]
  /** For people and models. */
  readonly displayOf: (path: string) => string
}

const ODD = 'it is a socket, a named pipe or a device'

/** Decides which changes of one root land; throws if nothing may land. */
export function judgeChanges(root: JudgedRoot, deps: LayerReadDeps): Judged {
  return new Judgement(root, deps).run()
}

class Judgement {
  readonly #root: JudgedRoot
  readonly #deps: LayerReadDeps
  readonly #byPath: ReadonlyMap<string, LayerChange>
  readonly #findThrowaway
  readonly #findOwn
  readonly #findGitFault
  readonly #landing: LayerChange[] = []
  readonly #touched: LayerChange[] = []
  readonly #leftOut: LeftOutChange[] = []
  readonly #leftTops = new Set<string>()
  readonly #withheld: LayerChange[] = []
  readonly #pruned = new Set<string>()
  readonly #thrown: string[] = []

  constructor(root: JudgedRoot, deps: LayerReadDeps) {
    const { lower, changes } = root
    const { home } = deps
    this.#root = root
    this.#deps = deps
    this.#byPath = new Map(changes.map((change) => [change.path, change]))
    this.#findThrowaway = createFindThrowaway(deps.settings.throwaway)
    this.#findOwn = createFindOwn(deps.own)
    this.#findGitFault = createFindGitFault({
      lower,
      roots: deps.sandbox.roots.map(({ path }) => path),
      changes: this.#byPath,
      firstPlaces: root.firstPlaces ?? [],
      namedLikeGit: () => deps.sandbox.roots.flatMap(({ path }) => deps.findGitIn(path)?.repositories ?? []),
      ...(home === undefined ? {} : { home }),
    })
  }

  run(): Judged {
    for (const change of this.#root.changes) this.#judge(change)
    const { landing, dropped } = dropEmptied(this.#landing, this.#thrown)
    return {
      landing,
      touched: this.#touched,
      leftOut: this.#leftOut,
      withheld: this.#withheld,
      thrownAway: this.#thrown.length,
      pruned: [...this.#pruned, ...dropped],
    }
  }

  #judge(change: LayerChange): void {
    const { path, before, after } = change
    if (this.#isThrownAway(change)) return
    if (this.#isInLeftOut(path)) {
      this.#withheld.push(change)
      return
    }
    if (change.isSame === true) {
      this.#touched.push(change)
      return
    }
    this.#refuseOwn(path)
    this.#refuseHole(path)
    this.#refuseForeign(change)
    const fault = this.#findFault(change)
    if (fault !== null) return this.#withhold(change, fault)
    if (after?.kind === 'other') {
      this.#leaveOut(change, ODD)
      if (before === null) return
    }
    if (before?.kind === 'other') return this.#judgeOddBefore(change)
    this.#landing.push(after?.kind === 'other' ? { ...change, after: null } : change)
  }

  /** What never lands is not removed either, unless the folder that holds it is. */
  #isThrownAway({ path, after }: LayerChange): boolean {
    const top = this.#findThrowaway(path)
    if (top === null || gitFolderOf(path) !== null) return false
    const holder = this.#byPath.get(folderOf(top))
    if (holder?.before?.kind === 'dir' && holder.after?.kind !== 'dir') return false
    if (after?.kind !== 'dir') this.#thrown.push(path)
    this.#pruned.add(top)
    return true
  }

  #isInLeftOut(path: string): boolean {
    if (this.#leftTops.size === 0) return false
    const parts = partsOf(path)
    return parts.some((_, at) => at > 0 && this.#leftTops.has(parts.slice(0, at).join('/')))
  }

  #refuseOwn(path: string): void {
    const pattern = this.#findOwn(absoluteOf(this.#root.lower.path, path), 'write')
    if (pattern !== null)
      throw this.#refusal(path, `it belongs to Tongs itself (${pattern})`, 'would have been changed')
  }

  /** A command cannot change what is mounted below a root, but it can move the folder that holds it. */
  #refuseHole(path: string): void {
    const { holes } = this.#root
    if (holes.size === 0) return
    for (let at = path; at !== ''; at = folderOf(at)) {
      const isWritten = holes.get(at)
      if (isWritten === undefined) continue
      const why = isWritten ? 'commands write that folder at once' : 'something is mounted there'
      throw failure(
        'not_allowed',
        `Nothing was landed: ${this.#show(path)} would have been moved or removed with its folder, but ${why}.`,
        { path: this.#show(path) },
        ['Run the command such that it leaves the folders above alone.'],
      )
    }
  }

  /** On an overlay the system refuses this; replacing the file would give it to another owner. */
  #refuseForeign({ path, before, after }: LayerChange): void {
    if (!this.#root.isCopy || before?.kind !== 'file' || after?.kind !== 'file') return
    if (before.uid === after.uid || process.geteuid?.() === 0) return
    throw failure(
      'not_allowed',
      `Nothing was landed: ${this.#show(path)} would have been changed, but it belongs to another user (EACCES).`,
      { path: this.#show(path), errno: 'EACCES' },
      ['Ask its owner to change it.'],
    )
  }

  /** Why a name must not change, as the end of a sentence. */
  #findFault(change: LayerChange): string | null {
    const { sandbox } = this.#deps
    const { lower } = this.#root
    const { path } = change
    const git = this.#findGitFault(change)
    if (git !== null) return git
    if (change.before !== null && this.#isHidden(path)) return 'it was hidden from the command'
    const isGits = gitFolderOf(path) !== null
    const pattern = sandbox.findDeny(lower, path, isGits ? 'read' : 'write')
    // Names in git's folder are those of branches and the like, so only patterns that are about git count there.
    if (pattern === null || (isGits && !pattern.includes('.git'))) return null
    return `it is denied by the pattern ${pattern}`
  }

  /** What a denied link leads to has a harmless name itself. */
  #isHidden(path: string): boolean {
    const { hidden } = this.#root
    if (hidden === undefined || hidden.size === 0) return false
    for (let at = path; at !== ''; at = folderOf(at)) if (hidden.has(at)) return true
    return false
  }

  #withhold(change: LayerChange, why: string): void {
    const { path, before, after } = change
    if (before !== null)
      throw this.#refusal(path, why, after === null ? 'would have been removed' : 'would have been changed')
    if (this.#deps.settings.onDenied === 'refuse') throw this.#refusal(path, why, 'would have been created')
    this.#leaveOut(change, why)
  }

  #isHolderGone(path: string): boolean {
    const holder = this.#byPath.get(folderOf(path))
    return holder !== undefined && holder.after?.kind !== 'dir'
  }

  #leaveOut(change: LayerChange, why: string): void {
    this.#leftOut.push({ change, why })
    this.#leftTops.add(change.path)
    this.#withheld.push(change)
    if (change.before === null) this.#pruned.add(change.path)
  }

  /** What is not a file, a link or a folder cannot be restored, so it is not removed. */
  #judgeOddBefore(change: LayerChange): void {
    if (change.after !== null || this.#isHolderGone(change.path))
      throw failure(
        'execution_failed',
        `Nothing was landed: ${this.#show(change.path)} would have been replaced or removed, but ${ODD}, which could not be restored.`,
        { path: this.#show(change.path) },
        ['Remove it outside of Tongs, then run the command again.'],
      )
    this.#leftOut.push({ change, why: `${ODD}, so it stays` })
    this.#withheld.push(change)
  }

  #refusal(path: string, why: string, what: string): Error {
    const attempted = this.#root.displayOf(path).toWellFormed()
    return failure(
      'denied_pattern',
      `Nothing was landed: ${this.#show(path)} ${what}, but ${why}.`,
      { reason: 'DeniedPatternMatched', attempted },
      ['Run the command such that it leaves this name alone, or ask the user to change it.'],
    )
  }

  #show(path: string): string {
    return showPath(this.#root.displayOf(path))
  }
}

/** Leaves out new folders that were made only for what never lands. */
function dropEmptied(
  landing: readonly LayerChange[],
  thrown: readonly string[],
): { readonly landing: readonly LayerChange[]; readonly dropped: readonly string[] } {
  if (thrown.length === 0) return { landing, dropped: [] }
  const holding = foldersAbove(thrown)
  const isNewFolder = ({ path, before, after }: LayerChange): boolean =>
    before === null && after?.kind === 'dir' && holding.has(path)
  const used = foldersAbove(landing.filter((change) => !isNewFolder(change)).map(({ path }) => path))
  const isDropped = (change: LayerChange): boolean => isNewFolder(change) && !used.has(change.path)
  return {
    landing: landing.filter((change) => !isDropped(change)),
    dropped: landing.filter(isDropped).map(({ path }) => path),
  }
}

function foldersAbove(paths: readonly string[]): ReadonlySet<string> {
  const above = new Set<string>()
  for (const path of paths)
    for (let at = folderOf(path); at !== '' && !above.has(at); at = folderOf(at)) above.add(at)
  return above
}
