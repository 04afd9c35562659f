import { isAbsolute, join } from 'node:path'
import { failure } from '../../core/error.ts'
import { buildBwrapArgs } from './bwrap-args.ts'
import type { ConfinedWorkspace, Confinement } from './confinement.ts'
import { viewRepositories } from './git-mounts.ts'
import { kindOrMissing, realPathOf } from './inspect-path.ts'
import { isBelow, isTooWide } from './mount.ts'
import type { Mount } from './mount.ts'
import { mountsOf, systemMounts, toolchainMounts, writableMountsOf } from './readable-places.ts'

/** A bubblewrap program that passed the probe. */
export interface Bwrap {
  readonly program: string
  readonly filter: Uint8Array | null
  readonly canLimitScratch: boolean
  /** The content of git's configuration file in the sandbox; empty for none. */
  readonly gitIdentity: string
}

const SPARE_HOME = '/tmp/home'

/** Confines commands to a workspace with bubblewrap. */
export function confineByBwrap(bwrap: Bwrap, workspace: ConfinedWorkspace): Confinement {
  const { roots, hasNetwork } = workspace
  checkWritable([...roots, ...workspace.write])
  const shown = [...roots, ...workspace.read, ...workspace.write, '/usr', '/dev', '/proc']
  const isHomeFree = isAbsolute(workspace.home) && !shown.some((place) => isBelow(workspace.home, place))
  const home = isHomeFree && workspace.home !== '/' ? workspace.home : SPARE_HOME
  const fixedMounts: readonly Mount[] = [
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
    level: 'bwrap',
    label: hasNetwork ? 'sandboxed by bubblewrap, with network' : 'sandboxed by bubblewrap',
    hasNetwork,
    launch: ({ argv, cwd, env }) => {
      const git = viewRepositories(roots, workspace.home)
      const visible: readonly Mount[] = [
        ...fixedMounts,
        ...identity,
        ...roots.map((at): Mount => ({ kind: 'write', at })),
        ...git.mounts,
      ]
      const { args, inputs } = buildBwrapArgs({
        mounts: [...visible, ...masksOf(workspace.masked, visible)],
        cwd,
        hasNetwork,
        filter: bwrap.filter,
        scratchBytes: bwrap.canLimitScratch && workspace.scratchBytes > 0 ? workspace.scratchBytes : null,
      })
      return {
        argv: [bwrap.program, ...args, ...argv],
        env: { ...env, HOME: home, TMPDIR: '/tmp' },
        cwd: '/',
        inputs,
        isNamespaced: true,
        guard: {
          roots,
          forbidden: git.forbidden,
          links: git.links,
          repositories: git.repositories,
        },
      }
    },
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

/** Hides denied paths that exist. Git's own files stay readable, so that git works; other mounts protect them. */
function masksOf(paths: readonly string[], visible: readonly Mount[]): readonly Mount[] {
  const shown = visible.filter(({ kind }) => kind === 'read' || kind === 'write').map(({ at }) => at)
  return paths.flatMap((path): readonly Mount[] => {
    // A mount can neither replace a link nor go through one.
    const real = realPathOf(path)
    if (real === null || path.split('/').includes('.git')) return []
    if (!shown.some((place) => isBelow(real, place))) return []
    return [{ kind: kindOrMissing(real) === 'folder' ? 'hide-folder' : 'hide-file', at: real }]
  })
}
