import { failure } from '../../core/error.ts'
import { setFolderMode } from '../../host/root/move-name.ts'
import { folderOf } from '../../host/root/rel-path.ts'
import type { FileStat } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { AttributeCache } from './attribute-cache.ts'
import { recheck } from './change-status.ts'
import type { InspectOptions, Target, Among } from './change-status.ts'
import { rememberDefaultLists } from './contents/default-lists.ts'
import { FarContents } from './contents/far-contents.ts'
import type { OpenedFolder } from './folder-changes.ts'
import {
  closeFolders,
  emptied,
  foldersAbove,
  makeFolders,
  needed,
  openFolders,
  removeFolders,
  removeIfEmpty,
} from './folder-changes.ts'
import { isFolder, isLeaf, isPlain, locateContents, rememberRooms } from './contents/held.ts'
import type { HeldSpot, Rooms } from './contents/held.ts'
import { attempt, drift, failed } from './landing-outcome.ts'
import type { Landing } from './landing-outcome.ts'
import { putAway, Replaced, requireKept, takeOut, takeOutToFree } from './contents/move-content.ts'
import { placeContent } from './contents/place-content.ts'
import { stage } from './contents/stage-content.ts'
import { placeOf } from './place-of.ts'

/** What landing needs. */
export interface LandingOptions extends InspectOptions {
  readonly execution: string
  readonly attributeCache: AttributeCache
  /** The calls that are taken back; folders are made that are missing above what comes back. */
  readonly takesBack?: readonly string[]
  /** Called after each file, because many take long. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** Brings changes that are in their `before` state into their `after` state, step by step. */
export class Settling {
  readonly #targets: readonly Target[]
  readonly #pending: readonly Target[]
  readonly #among: Among
  readonly #options: LandingOptions
  readonly #held: Rooms
  readonly #isPlain: boolean
  /** Where contents lie that are moved here; null for those that other changes free first. */
  #sources: ReadonlyMap<FileChange, HeldSpot | null> = new Map()
  /** What was put away, by target; null if nothing was there. */
  readonly #kept = new Map<Target, FileStat | null>()
  readonly #far: FarContents
  readonly #defaultsOf = rememberDefaultLists()
  /** New contents that were written from the journal. */
  readonly #staged = new Set<Target>()
  #opened: readonly OpenedFolder[] = []
  #at = ''
  #done = 0
  #isPlacing = false

  constructor(targets: readonly Target[], among: Among, options: LandingOptions) {
    this.#targets = targets
    this.#pending = targets.filter(({ status }) => status === 'before')
    this.#among = among
    this.#options = options
    this.#held = rememberRooms(options.held)
    this.#far = new FarContents(this.#held)
    this.#isPlain = targets.every(({ change }) => isPlain(change))
  }

  *run(): Generator<null, Landing> {
    const landing = yield* this.#tryToRun()
    if (landing.is !== 'landed')
      for (const { spot, mode } of this.#opened.toReversed()) attempt(() => setFolderMode(spot, mode))
    return landing
  }

  *#tryToRun(): Generator<null, Landing> {
    try {
      yield* this.#requireContents()
      if (!this.#isPlain) this.#opened = openFolders(this.#targets, this.#touch)
      const above = this.#options.takesBack === undefined ? [] : foldersAbove(this.#pending)
      for (const [root, folder] of [...needed(this.#pending), ...above]) {
        this.#touch(folder)
        if (root.stat(folder) === null) root.mkdir(folder, 0o777)
      }
      yield* this.#keepFar()
      const drifted = (yield* this.#stageAll()) ? yield* this.#findDrifted() : []
      if (drifted.length > 0) return drift(drifted)
      return yield* this.#isPlain ? this.#placeInOrder() : this.#placeInSteps()
    } catch (thrown) {
      if (thrown instanceof Replaced) return { is: 'drifted', files: [thrown.message] }
      return failed(this.#at, thrown, this.#isPlacing)
    }
  }

  readonly #touch = (path: string): void => {
    this.#at = path
  }

  #look(target: Target): ReturnType<typeof recheck> {
    this.#touch(target.change.path)
    return recheck(target, this.#among, this.#options)
  }

  /** Looks at everything once more; a new name in a folder that is still to come needs no look of its own. */
  *#findDrifted(): Generator<null, readonly Target[]> {
    const drifted: Target[] = []
    const missing = new Set<string>()
    for (const target of this.#pending) {
      const { root, path, before, after } = target.change
      const isMissing = before === null && missing.has(placeOf(root, folderOf(path)))
      const now = isMissing ? null : this.#look(target)
      if (now?.status === 'drifted') drifted.push(target)
      else if (isFolder(after) && (now?.stat ?? null) === null) missing.add(placeOf(root, path))
      yield null
    }
    return drifted
  }

  /** Nothing is touched if one of the contents is nowhere. */
  *#requireContents(): Generator<null, void> {
    if (this.#isPlain) return
    const changes = this.#pending.map(({ change }) => change)
    const { contentOf } = this.#options
    const isInJournal = (digest: string): boolean => contentOf(digest) !== null
    const { missing, sources } = yield* locateContents(changes, this.#held, isInJournal)
    this.#sources = sources
    if (missing === null) return
    this.#touch(missing.path)
    throw failure('execution_failed', `The content of ${missing.path} is gone, so it cannot be put in place.`)
  }

  /** Writes contents from the journal, unless they are moved here from elsewhere; returns whether the targets have to be looked at again. */
  *#stageAll(): Generator<null, boolean> {
    let isDue = this.#options.known !== null
    for (const target of this.#pending) {
      const { after, path } = target.change
      if (!isLeaf(after)) continue
      this.#touch(path)
      if (this.#sources.has(target.change)) {
        const from = this.#sources.get(target.change) ?? null
        if (from === null || !this.#far.stage(target, from)) continue
      } else {
        stage(target, after, { contentOf: this.#options.contentOf, defaultsOf: this.#defaultsOf })
        this.#staged.add(target)
      }
      isDue = true
      yield null
    }
    return isDue
  }

  /** What cannot be moved to the layer is copied there first, so that a full disk is noticed while all is as before. */
  *#keepFar(): Generator<null, void> {
    for (const target of this.#pending) {
      const { before, path } = target.change
      if (!isLeaf(before) || before.held === undefined) continue
      this.#touch(path)
      if (this.#far.keep(target, before.held)) yield null
    }
  }

  *#placeInOrder(): Generator<null, Landing> {
    for (const target of this.#pending) {
      const { status, stat } = this.#look(target)
      if (status === 'drifted') return drift([target])
      this.#isPlacing = true
      if (status === 'before') this.#placeStaged(target, stat)
      // Somebody else made the same change just now.
      else if (this.#staged.has(target)) target.root.unlink(target.staged)
      this.#isPlacing = false
      this.#progress()
      yield null
    }
    return this.#finish()
  }

  /** What goes, goes first: its name may be needed for something else, and so may its content. */
  *#placeInSteps(): Generator<null, Landing> {
    this.#isPlacing = true
    for (const target of this.#pending) {
      const { before } = target.change
      if (!isLeaf(before)) continue
      const { status, stat } = this.#look(target)
      if (status === 'drifted') return drift([target])
      if (status === 'before') {
        if (!this.#far.putAway(target, isLeaf(target.change.after)))
          putAway(target, before, { now: stat, held: this.#held })
        this.#kept.set(target, stat)
      }
      if (target.change.after === null) this.#progress()
      yield null
    }
    const refused = yield* removeFolders(this.#targets, this.#touch)
    const inherited = yield* makeFolders(this.#targets, this.#touch, this.#defaultsOf)
    for (const target of this.#pending) {
      if (!isLeaf(target.change.after)) continue
      this.#touch(target.change.path)
      this.#fill(target)
      this.#progress()
      yield null
    }
    // Once more for what the system refused a moment ago; what is left then is empty, and gets its mode again.
    if (refused.length > 0) yield* removeFolders(this.#targets, this.#touch)
    yield* closeFolders(this.#targets, this.#touch, { contentOf: this.#options.contentOf, inherited })
    return this.#finish()
  }

  /** Gives a name its new content. */
  #fill(target: Target): void {
    const kept = this.#kept.get(target) ?? null
    const from = this.#findSource(target)
    const isToFree = kept === null && from !== null && !this.#far.isStaged(target)
    if (isToFree && takeOutToFree(target, from, this.#held)) return
    const now = requireKept(target, kept)
    if (from === null) this.#placeStaged(target, now)
    else if (!this.#far.place(target, from)) takeOut(target, from, { now, held: this.#held })
  }

  /**
   * Where a content lies that is moved here; null if it was written from the journal. That one is used even if a look that
   * failed then would succeed by now: nothing else would remove it.
   */
  #findSource(target: Target): HeldSpot | null {
    const { root, after } = target.change
    if (this.#staged.has(target)) return null
    const held = after?.held
    return this.#sources.get(target.change) ?? (held === undefined ? null : this.#held.find(root, held))
  }

  #placeStaged(target: Target, now: FileStat | null): void {
    const { change, root } = target
    if (change.after === null) return root.unlink(change.path)
    placeContent(target, now, this.#options)
    const { attributes } = change.after
    const { attributeCache, contentOf } = this.#options
    attributeCache.record(root, change.path, attributes === undefined ? null : contentOf(attributes))
  }

  #progress(): void {
    this.#options.onProgress?.(++this.#done, this.#pending.length)
  }

  /** Removes the folders that were made for what is gone; returns whether the system refused one. */
  #removeEmptied(): boolean {
    return emptied(this.#targets)
      .map(([root, folder]) => {
        this.#touch(folder)
        return removeIfEmpty(root, folder)
      })
      .includes('refused')
  }

  #finish(): Landing {
    this.#isPlacing = false
    // Once more if the system refused one a moment ago.
    if (this.#removeEmptied()) this.#removeEmptied()
    return { is: 'landed' }
  }
}
