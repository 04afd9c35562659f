import { isAbsolute, join } from 'node:path'
import { failure } from '../../core/error.ts'
import { buildBwrapArgs } from './bwrap-args.ts'
import type { Confinement } from './confinement.ts'
import { viewRepositories } from './git-mounts.ts'
import { kindIfSeen, realPathOf } from './look.ts'
import { isBelow } from './mount.ts'
import type { Mount } from './mount.ts'
import { mountsOf, systemMounts, toolchainMounts, writableMountsOf } from './readable-places.ts'
import { isTooWide } from './too-wide.ts'

/** What a command is to see of the machine. */
export interface Workspace {
  /** The folders it may change, absolute and without links; their repositories are shielded. */
  readonly roots: readonly string[]
  /** The person's home folder; the command finds an empty one in its place. */
  readonly home: string
  /** The value of PATH. */
  readonly path: string
  /** Further paths it may read. */
  readonly read: readonly string[]
  /** Further paths it may write, because a person granted them. */
  readonly write: readonly string[]
  /** Paths that it must not see into. */
  readonly masked: readonly string[]
  readonly hasNetwork: boolean
}

/** A bubblewrap that was found and has proven itself. */
export interface Bwrap {
  readonly program: string
  readonly filter: Uint8Array | null
  readonly canLimitScratch: boolean
  /** A configuration file for git, empty for none. */
  readonly gitIdentity: string
}

const SCRATCH_BYTES = 2 * 1024 ** 3
const SPARE_HOME = '/tmp/home'
/** Confines commands to a workspace by bubblewrap. */
export function confineByBwrap(bwrap: Bwrap, workspace: Workspace): Confinement {
  const { roots, hasNetwork } = workspace
  const wide = [...roots, ...workspace.write].find((path) => isTooWide(path))
  if (wide !== undefined)
    throw failure('not_allowed', `A sandbox in which ${wide} can be written would be none.`, { path: wide }, [
      'Work in a folder of your own.',
    ])
  const shown = [...roots, ...workspace.read, ...workspace.write, '/usr', '/dev', '/proc']
  const isHomeFree = isAbsolute(workspace.home) && !shown.some((place) => isBelow(workspace.home, place))
  const home = isHomeFree && workspace.home !== '/' ? workspace.home : SPARE_HOME
  const standing: readonly Mount[] = [
    ...systemMounts(hasNetwork),
    { kind: 'scratch', at: home },
    ...toolchainMounts(workspace.path, workspace.home, roots),
    ...workspace.read.flatMap(mountsOf),
    ...workspace.write.flatMap(writableMountsOf),
  ]
  const identity: readonly Mount[] =
    bwrap.gitIdentity === ''
      ? []
      : [{ kind: 'copy', at: join(home, '.gitconfig'), from: new TextEncoder().encode(bwrap.gitIdentity) }]

  return {
    rung: 'bwrap',
    label: hasNetwork ? 'sandboxed by bubblewrap, with network' : 'sandboxed by bubblewrap',
    hasNetwork,
    launch: ({ argv, cwd, env }) => {
      const views = roots.map((root) => viewRepositories(root))
      const visible: readonly Mount[] = [
        ...standing,
        ...identity,
        ...roots.map((at): Mount => ({ kind: 'write', at })),
        ...views.flatMap((view) => view.mounts),
      ]
      const { args, inputs } = buildBwrapArgs({
        mounts: [...visible, ...masksOf(workspace.masked, visible)],
        cwd,
        hasNetwork,
        filter: bwrap.filter,
        scratchBytes: bwrap.canLimitScratch ? SCRATCH_BYTES : null,
      })
      return {
        argv: [bwrap.program, ...args, ...argv],
        env: { ...env, HOME: home, TMPDIR: '/tmp' },
        cwd: '/',
        inputs,
        isNamespaced: true,
        guard: {
          roots,
          forbidden: views.flatMap((view) => view.forbidden),
          repositories: views.flatMap((view) => view.repositories),
        },
      }
    },
  }
}

/** Hides what is there to be hidden; what decides over git stays readable to it, and is shielded by its own mounts. */
function masksOf(paths: readonly string[], visible: readonly Mount[]): readonly Mount[] {
  const shown = visible
    .filter((mount) => mount.kind === 'read' || mount.kind === 'write')
    .map((mount) => mount.at)
  const isShown = (path: string): boolean => shown.some((place) => isBelow(path, place))
  return paths
    .filter((path) => !path.split('/').includes('.git'))
    .map((path) => (kindIfSeen(path) === 'link' ? realPathOf(path) : path))
    .filter((path) => path !== null && isShown(path))
    .flatMap((at): readonly Mount[] => {
      const kind = at === null ? 'missing' : kindIfSeen(at)
      if (at === null || kind === 'missing') return []
      return [{ kind: kind === 'folder' ? 'hide-folder' : 'hide-file', at }]
    })
}
