import { LAYER_DIFF_LIMITS } from '../config/fixed-values.ts'
import { isAbsolute, resolve } from 'node:path'
import type { Settings } from '../config/keys.ts'
import type { Clock } from '../core/clock.ts'
import { ToolFailure } from '../core/error.ts'
import type { OpenBuffers } from './buffers/open-buffers.ts'
import { canonicalFolder } from '../host/fs/folders.ts'
import { openRoot } from '../host/root/open-root.ts'
import { createPause, steadyMs } from '../host/system/clock.ts'
import { runSteps, runWithPauses } from '../host/system/steps.ts'
import type { GitBelow } from '../host/confine/confinement.ts'
import type { Root } from '../host/root/root.ts'
import { statPlain } from '../host/root/stat-plain.ts'
import type { FileChange } from '../journal/entries/entry.ts'
import { createAttributeCache } from './landing/attribute-cache.ts'
import { withAttributes } from './landing/with-attributes.ts'
import { isStoredPath } from './landing/backups.ts'
import { relativeTo } from '../host/root/rel-path.ts'
import { requireFoldersThemselves } from './sandbox/named-by-setting.ts'
import { protectGitPlaces } from './sandbox/protect-git-places.ts'
import { createDeniedFinder, isHiddenFromCommands } from './sandbox/find-denied.ts'
import { findLost } from './landing/checks/find-lost.ts'
import { statusOf } from './landing/change-status.ts'
import { findDrift } from './landing/checks/find-drift.ts'
import { createDigestCache } from './landing/digest-cache.ts'
import { findAltered } from './landing/checks/find-altered.ts'
import { markHeld } from './landing/contents/held-marks.ts'
import { findConflicts } from './landing/checks/find-conflicts.ts'
import { findMissing, openHeldFiles } from './landing/contents/held.ts'
import { landing, sweepExchanged } from './landing/land.ts'
import type { LandingOptions } from './landing/settle.ts'
import { listBorrowers } from './landing/checks/borrowers.ts'
import type { BorrowersOf } from './landing/checks/borrowers.ts'
import { findNeededObjects } from './landing/checks/needed-objects.ts'
import { findObstacle } from './landing/checks/obstacles.ts'
import { rememberIdentities } from './landing/root-identities.ts'
import { createPendingCommits } from './landing/pending-commits.ts'
import { readCurrent } from './landing/read-current.ts'
import { readOwnAttributes, readSide } from './layers/read-side.ts'
import { placeOf } from './landing/place-of.ts'
import type { LayerSettings } from './layers/layer-deps.ts'
import { judgeAgain } from './layers/judge/judge-again.ts'
import { readLayer } from './layers/read-layer.ts'
import { removeStripped, removeStrippedNow, stripLanded } from './layers/strip-landed.ts'
import type { ReadAfter } from './staging/copy-texts.ts'
import { takeLayerHunks } from './staging/take-layer-hunks.ts'
import type { SealText } from './reading/stored-digests.ts'
import { cacheLocations } from './sandbox/location-cache.ts'
import type { OwnPath } from './sandbox/own-paths.ts'
import { createSandbox } from './sandbox/sandbox.ts'
import { syncFiles, syncHeld } from './landing/sync-files.ts'
import { beginTransaction } from './staging/transaction.ts'
import { findUnsavedIn } from './buffers/unsaved.ts'
import { withBuffers } from './buffers/with-buffers.ts'
import type { Workspace } from './workspace.ts'

/** How a workspace is opened. */
export interface WorkspaceOptions {
  readonly root: string
  readonly settings: Settings
  readonly clock: Clock
  readonly backupFolder: string
  /** Where the output of commands is stored. */
  readonly outputFolder: string
  /** The folder of a skill of the user, which `read_file` reads in; none if absent. */
  readonly skillFolder?: (name: string) => string | null
  /** Seals what stored outputs hold; no output is read if absent. */
  readonly seal?: SealText
  /** The folders that may hold layers of a root, the preferred one first; none where no command runs on a layer. */
  readonly layerPlacesOf?: (root: string) => readonly string[]
  /** Finds what belongs to Tongs itself in these roots; may refuse them. */
  readonly findOwn?: (roots: readonly string[]) => readonly OwnPath[]
  /** The files that are open in an editor. */
  readonly buffers?: OpenBuffers | null
}

/** Lets other work go on between steps. */
function gently<T>(steps: Generator<null, T>): Promise<T> {
  const pause = createPause(steadyMs())
  return runWithPauses(steps, () => pause(false))
}

function layerSettings(settings: Settings): LayerSettings {
  return {
    onDenied: settings['tools.shell.on_denied'],
    throwaway: settings['tools.shell.throwaway'],
    maxBytes: settings['tools.shell.layer_max_bytes'],
    maxFiles: settings['tools.shell.layer_max_files'],
    // What a question shows does not depend on what tools may edit.
    maxFileBytes: LAYER_DIFF_LIMITS.fileBytes,
  }
}

/** Opens the folders that the settings allow; relative paths start in the first. */
export function openWorkspace({
  root,
  settings,
  clock,
  backupFolder,
  outputFolder,
  skillFolder = () => null,
  seal = () => '',
  layerPlacesOf = () => [],
  findOwn = () => [],
  buffers = null,
}: WorkspaceOptions): Workspace {
  const findUnsaved = buffers === null ? null : findUnsavedIn(buffers)
  const folders = settings['tools.sandbox.allowed_roots'].map((path) =>
    isAbsolute(path) ? path : resolve(root, path),
  )
  const [first = root, ...rest] = folders
  const opened = new Map<string, Root>()
  const open = (path: string): Root => {
    const handle = openRoot(path)
    opened.set(handle.path, handle)
    return handle
  }
  // A change lands in the root it was made in, even if that root is no longer among the allowed ones.
  const rootOf = (path: string): Root => opened.get(path) ?? open(path)
  const held = openHeldFiles({ layerPlacesOf, open: rootOf })
  const look = { rootOf, held, digests: createDigestCache(), attributeCache: createAttributeCache() }
  const stepsOf = (
    execution: string,
    changes: readonly FileChange[],
    how: Pick<LandingOptions, 'contentOf' | 'known' | 'tornUntilMs' | 'takesBack' | 'onProgress'>,
  ) => landing(changes, { ...look, ...how, execution })
  const close = (): void => {
    for (const handle of opened.values()) handle.close()
    opened.clear()
  }
  try {
    const handles: readonly [Root, ...Root[]] = [open(first), ...rest.map(open)]
    requireFoldersThemselves(
      folders,
      handles.map(({ path }) => path),
    )
    const own = findOwn(handles.map(({ path }) => path))
    const findGitIn = (path: string): GitBelow | null => {
      const at = sandbox.roots.findIndex((one) => relativeTo(one.path, path) !== null)
      return (inside[at] ?? outside).findGit(path)
    }
    const git = protectGitPlaces(
      handles.map(({ path }) => path),
      { namedLikeGit: () => handles.flatMap(({ path }) => findGitIn(path)?.repositories ?? []) },
    )
    const sandbox = cacheLocations(
      createSandbox({
        roots: handles,
        own,
        project: canonicalFolder(root) ?? root,
        isClosed: folders.length === 0,
        deniedPatterns: settings['tools.sandbox.denied_patterns'],
        allowAbsolute: settings['tools.sandbox.allow_absolute'],
        includeDefaultDenies: settings['tools.sandbox.include_default_denies'],
        findProtection: git.find,
      }),
    )
    const rootPaths = sandbox.roots.map(({ path }) => path)
    const borrowersOf: BorrowersOf = (objects) => listBorrowers(objects, rootPaths, findGitIn)
    const layerPlaces = handles.flatMap(({ path }) => layerPlacesOf(path))
    const strip = (execution: string, changes: readonly FileChange[]): readonly string[] =>
      stripLanded(execution, changes, layerPlaces)
    const layerDeps = {
      sandbox,
      own,
      settings: layerSettings(settings),
      findGitIn,
      passthrough: settings['tools.shell.passthrough'].map((path) => resolve(handles[0].path, path)),
      ...look,
    }
    const commits = createPendingCommits({
      ...look,
      judgeAgain: (changes) => judgeAgain(changes, rootOf, layerDeps),
      findUnsaved,
    })
    const readAfter: ReadAfter = (change, maxBytes) => readSide(change, 'after', maxBytes, look)
    const shared = {
      sandbox,
      settings,
      clock,
      backupFolder,
      outputFolder,
      skillFolder,
      seal,
      commits,
      attributeCache: look.attributeCache,
    }
    const deps = { ...shared, readAfter, buffers, findUnsaved }
    const inside = sandbox.roots.map((one) =>
      createDeniedFinder(
        (path) => sandbox.findDeny(one, relativeTo(one.path, path) ?? path, 'read') !== null,
        clock.now,
      ),
    )
    const outside = createDeniedFinder((path) => sandbox.findDenyOutside(path, 'read') !== null, clock.now)
    const workspace: Workspace = {
      buffers: null,
      isRaceFree: [...opened.values()].every((handle) => handle.isRaceFree),
      roots: rootPaths,
      own,
      findDenied: () => sandbox.roots.flatMap(({ path }, index) => inside[index]?.findIn(path) ?? []),
      view: {
        rootAt: rootOf,
        isHidden: (path, rel) => {
          const one = sandbox.roots.find((handle) => handle.path === path)
          if (one === undefined) return false
          const isThere = (name: string): boolean => statPlain(one, name) !== null
          return isHiddenFromCommands(rel, sandbox.findDeny(one, rel, 'read'), isThere)
        },
      },
      findDeniedIn: (path, limits) => outside.findIn(path, limits),
      findGitIn,
      findDeniedInPlace: (place) => outside.findInPlace(place),
      findPipesIn: (path) => outside.findPipes(path),
      findPipesInPlace: (place) => outside.findPipesInPlace(place),
      denyOutside: (path) => sandbox.findDenyOutside(path, 'read'),
      locate({ path, intent }) {
        if (intent === 'read' && isStoredPath(path))
          return { ok: true, display: path, absolute: path, kind: 'file' }
        try {
          const { display, absolute, kind } = sandbox.locate(path, intent)
          return { ok: true, display, absolute, kind }
        } catch (thrown) {
          if (thrown instanceof ToolFailure) return { ok: false, error: thrown.error }
          throw thrown
        }
      },
      begin: (options) => beginTransaction(deps, options),
      readLayer: (layer, signal) => readLayer(layer, { ...layerDeps, signal }),
      takeLayerHunks: (choice) => takeLayerHunks(choice, look),
      findDrift: (changes, mayBeAfter = () => false) =>
        gently(findDrift(changes, look, { isReserved: commits.isReserved, mayBeAfter })),
      findDriftNow: (changes, mayBeAfter = () => false) =>
        runSteps(findDrift(changes, look, { isReserved: commits.isReserved, mayBeAfter })),
      isReserved: commits.isReserved,
      statusOf: (change, all = [change]) => statusOf(change, all, look),
      identityOf: rememberIdentities(rootOf),
      isPending: commits.isPending,
      findNeededObjects: (changes, sinceMs) =>
        findNeededObjects(changes, sinceMs, rootOf, borrowersOf).flatMap(({ objects }) => objects),
      findObstacle: (changes) => gently(findObstacle(changes, rootOf)),
      clearPathCache: () => {
        sandbox.clearPathCache()
        git.forget()
      },
      writeBackups: commits.writeBackups,
      findConflicts: (layer) => [...findConflicts(layer, () => false, look).paths.values()],
      findHeld: held.find,
      readSide: (change, side, maxBytes) => readSide(change, side, maxBytes, look),
      readAttributes: (change, side) => readOwnAttributes(change, side, look),
      readCurrent: (one, path, maxBytes) => readCurrent(rootOf(one), path, maxBytes),
      findAltered: (changes, compared = 'mode too', noted) =>
        gently(findAltered(changes, { ...look, compared, noted })),
      markHeld: (changes, bare) => gently(markHeld(changes, { held, bare, cache: look.attributeCache })),
      findMissing: (changes, isInJournal) => gently(findMissing(changes, held, isInJournal)),
      syncHeld: (changes) => syncHeld(changes, held),
      confirm: commits.confirm,
      retract: commits.retract,
      drop: commits.drop,
      land(execution, changes, contentOf, how) {
        const known = commits.take([execution, ...(how?.others ?? [])])
        const landed = runSteps(stepsOf(execution, changes, { ...how, contentOf, known }))
        if (landed.is === 'landed') removeStrippedNow(strip(execution, changes))
        return landed
      },
      async landGently(execution, changes, contentOf, how) {
        const together = [execution, ...(how?.others ?? [])]
        const known = commits.startLanding(together, changes)
        try {
          const landed = await gently(stepsOf(execution, changes, { ...how, contentOf, known }))
          if (landed.is === 'landed') await removeStripped(strip(execution, changes))
          return landed
        } finally {
          commits.endLanding(together)
        }
      },
      isLanding: commits.isLanding,
      withAttributes: (changes, contentOf) =>
        gently(withAttributes(changes, { rootOf, cache: look.attributeCache, contentOf })),
      sync: (changes) => syncFiles(changes, look),
      findLost: (landed, contentOf) => {
        sweepExchanged(landed, rootOf)
        return findLost(landed, { ...look, contentOf })
      },
      restoreLost: (execution, lost, contentOf) => {
        const known = new Map(lost.map(({ change, found }) => [placeOf(change.root, change.path), found]))
        const changes = lost.map(({ change }) => change)
        return runSteps(stepsOf(execution, changes, { contentOf, known }))
      },
      close,
    }
    const maxBytes = settings['tools.edit.max_file_bytes']
    return buffers === null || findUnsaved === null
      ? workspace
      : withBuffers(workspace, buffers, findUnsaved, maxBytes)
  } catch (thrown) {
    close()
    throw thrown
  }
}
