import { failure, ToolFailure } from '../../core/error.ts'
import { setFolderMode } from '../../host/root/move-name.ts'
import { folderOf, joinRel } from '../../host/root/rel-path.ts'
import type { FileStat } from '../../host/root/root.ts'
import type { FileChange } from '../../journal/entries/entry.ts'
import type { AttributeCache } from './attribute-cache.ts'
import { inspect, recheck, turnedIn } from './change-status.ts'
import type { InspectOptions, Target, Turned } from './change-status.ts'
import { FarContents } from './far-contents.ts'
import { emptied, needed } from './created-folders.ts'
import type { OpenedFolder } from './folder-changes.ts'
import {
  closeFolders,
  findStrangers,
  makeFolders,
  openFolders,
  removeFolders,
  removeIfEmpty,
} from './folder-changes.ts'
import { findMissing, freedPlaces, isFolder, isLeaf, isPlain } from './held.ts'
import { dropSecondName, putAway, Replaced, requireKept, takeOut } from './move-content.ts'
import { placeOf } from './place-of.ts'
import { stage } from './stage-content.ts'

/** What landing needs. */
export interface LandingOptions extends InspectOptions {
  readonly execution: string
  readonly attributeCache: AttributeCache
  /** Called after each file, because many take long. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** How landing went: everything is in place, or why not. */
export type Landing =
  | { readonly is: 'landed' }
  /** Files that are neither as before nor as after; nothing further was touched. */
  | { readonly is: 'drifted'; readonly files: readonly string[] }
  | {
      readonly is: 'failed'
      readonly file: string
      readonly why: string
      /** Whether waiting is of no use: a name refused its new content, or the error is not one that passes, as a full disk is. */
      readonly isLasting: boolean
    }

/**
 * Puts committed changes in place. May be repeated: what is already in place stays. All new contents are written before
 * the first of them gets its name, so that a full disk is noticed while everything is as before.
 */
export function land(changes: readonly FileChange[], options: LandingOptions): Landing {
  const landing = tryToLand(changes, options)
  // Retried once at once: a passing failure must not leave one file changed and the next one not.
  return landing.is === 'failed' ? tryToLand(changes, { ...options, known: null }) : landing
}

function tryToLand(changes: readonly FileChange[], options: LandingOptions): Landing {
  let at = ''
  try {
    const among = turnedIn(changes)
    const coming = new Set(
      changes
        .filter(({ before, after }) => isFolder(after) && !isFolder(before))
        .map(({ root, path }) => placeOf(root, path)),
    )
    const targets = changes.map((change, index): Target => {
      at = change.path
      const staged = joinRel(stagingFolder(change, coming), stagedName(options.execution, index))
      return { change, root: options.rootOf(change.root), staged, ...inspect(change, among, options) }
    })
    const drifted = targets.filter(({ status }) => status === 'drifted')
    const strangers = drifted.length > 0 ? [] : findStrangers(targets)
    const landing =
      drifted.length > 0
        ? drift(drifted)
        : strangers.length > 0
          ? ({ is: 'drifted', files: strangers } as const)
          : new Settling(targets, among, options).run()
    const isRepeated = targets.some(({ status }) => status !== 'before')
    if (landing.is !== 'landed' || isRepeated) sweep(targets, options)
    return landing
  } catch (thrown) {
    return failed(at, thrown)
  }
}

function failed(file: string, thrown: unknown, isPlacing = false): Landing {
  if (!(thrown instanceof ToolFailure)) throw thrown
  const { code, message, details } = thrown.error
  const isLasting = isPlacing || (code !== 'resource_exhausted' && !PASSING_ERRNOS.has(details['errno']))
  return { is: 'failed', file, why: message, isLasting }
}

/** Errors besides exhaustion that may be over the next time. */
const PASSING_ERRNOS = new Set<unknown>(['EINTR', 'EAGAIN', 'ETIMEDOUT', 'ESTALE', 'ETXTBSY'])

/** The name of new content until it is in place, by which leftovers are recognised. */
function stagedName(execution: string, index: number): string {
  return `.tongs-${execution}-${index}`
}

/** New content is written where it will be, or in the nearest folder above that is there from the beginning. */
function stagingFolder({ root, path }: FileChange, coming: ReadonlySet<string>): string {
  let folder = folderOf(path)
  while (coming.has(placeOf(root, folder))) folder = folderOf(folder)
  return folder
}

function drift(targets: readonly Target[]): Landing {
  return { is: 'drifted', files: targets.map(({ change }) => change.path) }
}

/** Brings changes that are in their `before` state into their `after` state, step by step. */
class Settling {
  readonly #targets: readonly Target[]
  readonly #pending: readonly Target[]
  readonly #among: Turned
  readonly #options: LandingOptions
  readonly #isPlain: boolean
  /** Where contents that others need are put away. */
  readonly #freed: ReadonlySet<string>
  /** What was put away, by target; null if nothing was there. */
  readonly #kept = new Map<Target, FileStat | null>()
  readonly #far: FarContents
  #opened: readonly OpenedFolder[] = []
  #at = ''
  #done = 0
  #isPlacing = false

  constructor(targets: readonly Target[], among: Turned, options: LandingOptions) {
    this.#targets = targets
    this.#pending = targets.filter(({ status }) => status === 'before')
    this.#among = among
    this.#options = options
    this.#isPlain = targets.every(({ change }) => isPlain(change))
    this.#far = new FarContents(options)
    this.#freed = freedPlaces(this.#pending.map(({ change }) => change))
  }

  run(): Landing {
    const landing = this.#tryToRun()
    if (landing.is !== 'landed')
      for (const { spot, mode } of this.#opened.toReversed()) attempt(() => setFolderMode(spot, mode))
    return landing
  }

  #tryToRun(): Landing {
    try {
      this.#requireContents()
      if (!this.#isPlain) this.#opened = openFolders(this.#targets, this.#touch)
      for (const [root, folder] of needed(this.#pending)) {
        this.#touch(folder)
        if (root.stat(folder) === null) root.mkdir(folder, 0o777)
      }
      this.#keepFar()
      for (const target of this.#pending) this.#stage(target)
      const drifted = this.#pending.filter((target) => this.#look(target) === 'drifted')
      if (drifted.length > 0) return drift(drifted)
      return this.#isPlain ? this.#placeInOrder() : this.#placeInSteps()
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

  /** Nothing is touched if one of the contents is nowhere. */
  #requireContents(): void {
    if (this.#isPlain) return
    const changes = this.#pending.map(({ change }) => change)
    const { held, contentOf } = this.#options
    const missing = findMissing(changes, held, (digest) => contentOf(digest) !== null)
    if (missing === null) return
    this.#touch(missing.path)
    throw failure(
      'execution_failed',
      `The content of ${missing.path} was erased, so it cannot be put in place.`,
    )
  }

  /** Content is written from the journal, unless it is moved here from elsewhere. */
  #stage(target: Target): void {
    const { after, path } = target.change
    this.#touch(path)
    if (!isLeaf(after)) return
    const { held, contentOf } = this.#options
    const from = after.held === undefined ? null : held.find(target.change.root, after.held)
    if (from !== null && this.#far.stage(target, from)) return
    if (!this.#isMoved(target)) stage(target, after, contentOf)
  }

  /** What cannot be moved to the layer is copied there first, so that a full disk is noticed now. */
  #keepFar(): void {
    for (const target of this.#pending) {
      const { before, path } = target.change
      this.#touch(path)
      if (isLeaf(before)) this.#far.keep(target, before)
    }
  }

  #isMoved({ change: { root, after } }: Target): boolean {
    if (after?.held === undefined) return false
    return this.#freed.has(placeOf(root, after.held)) || this.#options.held.find(root, after.held) !== null
  }

  #placeInOrder(): Landing {
    for (const target of this.#pending) {
      const status = this.#look(target)
      if (status === 'drifted') return drift([target])
      this.#isPlacing = true
      if (status === 'before') this.#placeStaged(target)
      this.#isPlacing = false
      this.#progress()
    }
    return this.#finish()
  }

  /** What goes, goes first: its name may be needed for something else, and so may its content. */
  #placeInSteps(): Landing {
    this.#isPlacing = true
    for (const target of this.#pending) {
      const { before } = target.change
      if (!isLeaf(before)) continue
      const status = this.#look(target)
      if (status === 'drifted') return drift([target])
      if (status === 'before') {
        const far = this.#far.putAway(target, isLeaf(target.change.after))
        this.#kept.set(target, far === undefined ? putAway(target, before, this.#options) : far)
      }
      if (target.change.after === null) this.#progress()
    }
    removeFolders(this.#targets, this.#touch)
    makeFolders(this.#targets, this.#touch)
    for (const target of this.#pending) {
      const { after } = target.change
      if (!isLeaf(after)) continue
      this.#touch(target.change.path)
      requireKept(target, this.#kept.get(target) ?? null)
      const from = after.held === undefined ? null : this.#options.held.find(target.change.root, after.held)
      if (from === null) this.#placeStaged(target)
      else if (!this.#far.place(target, from)) takeOut(target, from)
      this.#progress()
    }
    closeFolders(this.#targets, this.#touch)
    return this.#finish()
  }

  #placeStaged({ change, root, staged }: Target): void {
    if (change.after === null) return root.unlink(change.path)
    root.placeFile(staged, change.path)
    const { attributes } = change.after
    const { attributeCache, contentOf } = this.#options
    attributeCache.record(root, change.path, attributes === undefined ? null : contentOf(attributes))
  }

  #progress(): void {
    this.#options.onProgress?.(++this.#done, this.#pending.length)
  }

  #finish(): Landing {
    this.#isPlacing = false
    for (const [root, folder] of emptied(this.#targets)) {
      this.#touch(folder)
      removeIfEmpty(root, folder)
    }
    return { is: 'landed' }
  }
}

/** Removes content that did not get its final name, second names, and the folders that were created for it. */
function sweep(targets: readonly Target[], options: LandingOptions): void {
  for (const target of targets) {
    const { change, root, staged } = target
    if (change.after === null) continue
    attempt(() => root.stat(staged) !== null && root.unlink(staged))
    attempt(() => dropSecondName(target, options))
    for (const folder of change.folders.toReversed()) attempt(() => removeIfEmpty(root, folder))
  }
}

/** A failure to clean up must not hide its cause. */
function attempt(run: () => unknown): void {
  try {
    run()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
