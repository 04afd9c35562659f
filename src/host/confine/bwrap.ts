import { dirname, isAbsolute, join } from 'node:path'
import { failure } from '../../core/error.ts'
import type { LayerPrograms } from '../layer/enter/layer-script.ts'
import type { Layer } from '../../core/layer.ts'
import { buildBwrapArgs } from './bwrap-args.ts'
import { guardOutside, viewCopy, viewLayer, withQuietGit, withStandIns } from '../layer/enter/view-layer.ts'
import type { LayerView } from '../layer/enter/view-layer.ts'
import { checkMounted } from './held/check-mounted.ts'
import { FIRST_INPUT_FD } from './confinement.ts'
import type {
  ConfinedWorkspace,
  Confinement,
  GuardPlan,
  JudgedPlace,
  Launch,
  OwnedPath,
  PlainCommand,
  Reach,
} from './confinement.ts'
import { noteFirstPlaces } from '../git/first-places.ts'
import { viewRepositories, withSharedReadOnly } from './git-mounts.ts'
import { hideDenied } from './held/hide-denied.ts'
import { NO_PINS, pinDenied } from './held/pin-denied.ts'
import { NO_NESTED, viewNested } from './nested/nested-git.ts'
import { kindOrMissing, realPathOf } from './inspect-path.ts'
import { nativeSource, WITHOUT_NATIVE } from '../native/load-native.ts'
import { isRootOfSystem } from '../system/process.ts'
import { isBelow, isTooWide, orderMounts } from './mount.ts'
import type { Mount } from './mount.ts'
import {
  mountsOf,
  mountsOfPlace,
  systemMounts,
  toolchainMounts,
  writableMountsOf,
} from './readable-places.ts'

/** A bubblewrap program that passed the probe. */
export interface Bwrap {
  readonly program: string
  readonly filter: Uint8Array | null
  readonly canLimitScratch: boolean
  /** Whether it mounts what it gets as an open descriptor. */
  readonly canMountHeld: boolean
  /** The content of git's configuration file in the sandbox; empty for none. */
  readonly gitIdentity: string
  /** What puts commands on a layer; null if something of it is missing. */
  readonly layerPrograms?: LayerPrograms | null
}

const SPARE_HOME = '/tmp/home'

/** Confines commands to a workspace with bubblewrap. */
export function confineByBwrap(bwrap: Bwrap, workspace: ConfinedWorkspace): Confinement {
  const { roots, hasNetwork } = workspace
  checkWritable([...roots, ...workspace.write])
  const shown = [...roots, ...workspace.read, ...workspace.write, '/usr', '/dev', '/proc']
  const isHomeFree = isAbsolute(workspace.home) && !shown.some((place) => isBelow(workspace.home, place))
  const home = isHomeFree && workspace.home !== '/' ? workspace.home : SPARE_HOME
  const judged: ReadonlyMap<string, JudgedPlace> =
    bwrap.canMountHeld && workspace.judged !== undefined ? workspace.judged : new Map()
  const granted = [...(workspace.judged?.values() ?? [])].filter(({ isGranted }) => isGranted)
  if (granted.length > 0 && !bwrap.canMountHeld) throw cannotHold()
  const show = (kind: 'read' | 'write', path: string): readonly Mount[] => {
    const place = judged.get(path)
    if (place !== undefined) return mountsOfPlace(kind, path, place)
    return kind === 'read' ? mountsOf(path) : writableMountsOf(path)
  }
  const identities = new Map([...judged.values()].map(({ real, identity }) => [real, identity]))
  const hold = (mount: Mount): Mount => {
    if (mount.kind !== 'read' && mount.kind !== 'write') return mount
    const identity = identities.get(mount.from ?? mount.at)
    return identity === undefined ? mount : { ...mount, identity }
  }
  const fixedMounts: readonly Mount[] = [
    ...systemMounts(hasNetwork),
    { kind: 'scratch', at: home },
    ...toolchainMounts(workspace.path, workspace.home, roots),
    ...[...workspace.read, ...(workspace.caches ?? [])].flatMap((path) => show('read', path)),
    ...workspace.write.flatMap((path) => show('write', path)),
  ]
  const identity: readonly Mount[] =
    bwrap.gitIdentity === ''
      ? []
      : [{ kind: 'copy', at: join(home, '.gitconfig'), from: new TextEncoder().encode(bwrap.gitIdentity) }]

  /** The file system of a command that starts now. */
  const layOut = (layer: LayerView | null, isStarted = true) => {
    const isLayered = (path: string): boolean => layer?.holds(path) ?? false
    const direct = [...roots, ...(workspace.passthrough ?? [])].filter((at) => !isLayered(at))
    const nested = isStarted ? viewNested(direct, workspace.gitBelow) : NO_NESTED
    const isShared = layer === null || workspace.mayWriteSharedGit === true
    const written = [...new Set([...roots, ...direct])]
    const found = viewRepositories(roots, workspace.home, nested.views, written)
    const git = isShared ? found : withSharedReadOnly(found, roots)
    const gitMounts = git.mounts.filter(({ at }) => !isLayered(at))
    const ownOutside = workspace.own.filter(({ path }) => !isLayered(path))
    const own = ownOutside.filter(({ path }) => kindOrMissing(path) !== 'missing')
    const missing = ownOutside.filter((one) => !own.includes(one)).map(({ path }) => path)
    const onLayer = new Set(layer?.mounts.map(({ at }) => at))
    const below: readonly Mount[] = [
      ...fixedMounts.filter(({ at }) => !onLayer.has(at)),
      ...identity,
      ...roots.map((at): Mount => ({ kind: 'write', at })),
      ...gitMounts,
      // A pin is a writable mount, and would open what git has read-only.
      ...own
        .flatMap(({ path }) => pinsAbove(path, roots))
        .filter(({ at }) => !gitMounts.some((mount) => mount.kind === 'read' && isBelow(at, mount.at))),
    ]
    // What is on the layer shows as it is there, also where it was granted: a mount would show what is behind it.
    const visible: readonly Mount[] = [...below.filter(({ at }) => !isLayered(at)), ...(layer?.mounts ?? [])]
      .filter(({ at }) => !own.some(({ path }) => at !== path && isBelow(at, path)))
      .map(hold)
    const masked = [...workspace.masked, ...nested.masked]
    // What shows as it is on a layer has the path of the root.
    const named = visible.map((mount): Mount =>
      layer?.mounts.includes(mount) === true ? { kind: 'write', at: mount.at } : mount,
    )
    // A layer hides what is denied by a name on it, wherever on it that leads; a whole root it cannot hide.
    const isHiddenOnLayer = (path: string, at: string): boolean =>
      isLayered(path) && isLayered(at) && (!onLayer.has(at) || isBelow(path, at))
    const hidden = hideDenied(masked, named, isStarted ? granted : [], isHiddenOnLayer)
    const kept = { denied: masked, hidden, visible, own: own.map(({ path }) => path), granted, isLayered }
    const pinned = isStarted ? pinDenied(kept) : NO_PINS
    const guard: GuardPlan = {
      roots,
      forbidden: [...git.forbidden, ...missing],
      links: git.links,
      denied: pinned.links,
      repositories: git.repositories,
    }
    return {
      newGit: nested.newGit,
      places: git.places,
      guard: layer === null ? guard : guardOutside(guard, layer),
      mounts: [...visible, ...pinned.mounts, ...hidden, ...own.map(ownMount)],
    }
  }

  const launch = ({ argv, cwd, env }: PlainCommand, on: Layer | null): Launch => {
    const layer = on === null ? null : onLayer(on)
    const { guard, newGit, places, mounts } = layOut(layer)
    if (on !== null) noteFirstPlaces(on, places)
    const entrance = layer?.entrance ?? null
    const given = { ...env, HOME: home, TMPDIR: '/tmp' }
    const variables = layer === null ? given : withQuietGit(layer.hasStandIns ? withStandIns(given) : given)
    const { args, inputs } = buildBwrapArgs(
      {
        mounts,
        cwd,
        hasNetwork,
        filter: bwrap.filter,
        scratchBytes: bwrap.canLimitScratch && workspace.scratchBytes > 0 ? workspace.scratchBytes : null,
        user: entrance === null ? null : currentUser(),
        env: variables,
      },
      FIRST_INPUT_FD + (entrance?.inputs.length ?? 0),
    )
    return {
      argv: [...(entrance?.argv ?? []), bwrap.program, ...args, ...checkMounted(mounts, granted), ...argv],
      // What runs before the command is outside of its sandbox.
      env: {},
      cwd: '/',
      inputs: [...(entrance?.inputs ?? []), ...inputs],
      isNamespaced: true,
      ...(entrance === null || !canMountHere()
        ? {}
        : {
            mounted: {
              mounts: entrance.mounts,
              words: entrance.argv.length,
              inputs: entrance.inputs.length,
            },
          }),
      guard,
      ...(newGit === null ? {} : { newGit }),
      ...(layer === null ? {} : { findMoved: layer.findMoved }),
    }
  }

  const onLayer = (layer: Layer): LayerView => {
    if (layer.rung === 'copy') return viewCopy(layer)
    const { layerPrograms: programs = null } = bwrap
    if (programs === null) throw failure('not_allowed', 'Commands cannot run on a layer here.')
    return viewLayer(layer, programs, workspace)
  }

  return {
    level: 'bwrap',
    label: hasNetwork ? 'sandboxed by bubblewrap, with network' : 'sandboxed by bubblewrap',
    hasNetwork,
    reach: () => reachOf(layOut(null, false).mounts),
    launch: ({ layer = null, ...command }) => launch(command, layer),
  }
}

function cannotHold(): Error {
  return failure(
    'not_allowed',
    'This bubblewrap is too old to show a command what it is granted: it would find it by name, and the name could lead elsewhere by then.',
    {},
    ['Update bubblewrap: `bwrap --help` has to list --ro-bind-fd.'],
  )
}

/** Whether a process like this one can mount a layer without the help of programs. */
function canMountHere(): boolean {
  return isRootOfSystem() && nativeSource() !== WITHOUT_NATIVE
}

/** In a user namespace, bubblewrap would take the user for root. */
function currentUser(): { readonly uid: number; readonly gid: number } | null {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  return uid === 0 ? null : { uid, gid }
}

/** Sums up mounts; what lies in another place with the same access is not listed again. */
function reachOf(mounts: readonly Mount[]): Reach {
  const ordered = orderMounts(mounts)
  const placesOf = (...kinds: readonly Mount['kind'][]): readonly string[] => {
    const places = ordered.filter(({ kind }) => kinds.includes(kind)).map(({ at }) => at)
    return places.filter((at) => !places.some((other) => other !== at && isBelow(at, other))).toSorted()
  }
  return {
    read: placesOf('read', 'copy', 'link'),
    write: placesOf('write'),
    hidden: placesOf('hide-file', 'hide-folder'),
  }
}

function checkWritable(paths: readonly string[]): void {
  for (const path of paths) {
    const real = realPathOf(path) ?? path
    if (isTooWide(real))
      throw failure(
        'not_allowed',
        `Cannot make all of ${real} writable: the sandbox would protect nothing.`,
        { path },
        ['Work in a folder of your own.'],
      )
    if (real.split('/').includes('.git'))
      throw failure('not_allowed', `Cannot make ${real} writable: it controls what git runs.`, { path }, [
        'Change it by hand, or with git itself.',
      ])
  }
}

/** The folders between a root and a path as mounts, which cannot be renamed or removed. */
export function pinsAbove(path: string, roots: readonly string[]): readonly Mount[] {
  const pins: Mount[] = []
  for (let at = dirname(path); roots.some((root) => at !== root && isBelow(at, root)); at = dirname(at))
    pins.push({ kind: 'write', at })
  return pins
}

function ownMount({ path, isReadable }: OwnedPath): Mount {
  if (isReadable) return { kind: 'read', at: path }
  return { kind: kindOrMissing(path) === 'folder' ? 'hide-folder' : 'hide-file', at: path }
}
