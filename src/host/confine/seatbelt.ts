import type { ConfinedWorkspace, Confinement } from './confinement.ts'
import { pinsAbove } from './bwrap.ts'
import { viewRepositories } from './git-mounts.ts'
import { viewNested } from './nested/nested-git.ts'
import { toolchainMounts } from './readable-places.ts'

/** What a macOS sandbox profile allows a command. */
export interface SeatbeltPolicy {
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  /** Read-only paths inside the writable ones. */
  readonly shielded: readonly string[]
  /** Folders that may be written to but not renamed or removed. */
  readonly pinned: readonly string[]
  readonly hidden: readonly string[]
  readonly hasNetwork: boolean
}

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/System',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/Applications/Xcode.app',
  '/private/etc/ssl',
  '/private/etc/localtime',
  '/private/var/db/timezone',
  '/private/var/select',
  '/opt/homebrew',
  '/dev',
]
const DEVICES = ['/dev/null', '/dev/zero', '/dev/tty', '/dev/dtracehelper']

/**
 * Builds a profile for `sandbox-exec`; the last matching rule wins. Written from its documentation and not run by our
 * tests, which would need a Mac: the probe decides at run time whether it holds.
 */
export function buildSeatbeltProfile(policy: SeatbeltPolicy): string {
  const rule = (verb: string, what: string, paths: readonly string[]): readonly string[] =>
    paths.length === 0 ? [] : [`(${verb} ${what} ${subpaths(paths)})`]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") ${subpaths([...SYSTEM, ...policy.readable, ...policy.writable])})`,
    `(allow file-write* ${subpaths(policy.writable)})`,
    `(allow file-write-data ${DEVICES.map((path) => `(literal ${quote(path)})`).join(' ')})`,
    ...rule('deny', 'file-write*', policy.shielded),
    ...policy.pinned.map((path) => `(deny file-write-unlink (literal ${quote(path)}))`),
    ...rule('deny', 'file-read* file-write*', policy.hidden),
    ...(policy.hasNetwork
      ? ['(allow network-outbound (remote ip))', '(allow system-socket)']
      : ['(deny network*)']),
    '',
  ].join('\n')
}

function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quote(path)})`).join(' ')
}

function quote(path: string): string {
  return `"${path.replace(/(["\\])/g, '\\$1')}"`
}

/** Confines commands to a workspace with `sandbox-exec`. Without a process namespace, killing walks the process tree. */
export function confineBySeatbelt(program: string, workspace: ConfinedWorkspace): Confinement {
  const { roots, hasNetwork } = workspace
  const tools = toolchainMounts(workspace.path, workspace.home, roots)
  return {
    level: 'seatbelt',
    label: hasNetwork ? 'sandboxed by sandbox-exec, with network' : 'sandboxed by sandbox-exec',
    hasNetwork,
    reach: () => ({
      read: [...SYSTEM, ...workspace.read, ...placesOf(tools)],
      write: [...roots, ...workspace.write],
      hidden: workspace.masked,
    }),
    launch: ({ argv, cwd, env }) => {
      const nested = viewNested(roots, workspace.gitBelow)
      const { mounts: git, forbidden, links } = viewRepositories(roots, workspace.home, nested.views)
      const profile = buildSeatbeltProfile({
        readable: [...workspace.read, ...placesOf(tools)],
        writable: [...roots, ...workspace.write],
        shielded: [
          ...placesOf(git.filter(({ kind }) => kind === 'read')),
          ...forbidden,
          ...placesOf(links.map(({ path }) => ({ at: path }))),
          ...workspace.own.filter(({ isReadable }) => isReadable).map(({ path }) => path),
        ],
        pinned: placesOf([
          ...git.filter(({ kind }) => kind === 'write'),
          ...workspace.own.flatMap(({ path }) => pinsAbove(path, roots)),
        ]),
        hidden: [
          ...workspace.masked,
          ...nested.masked,
          ...workspace.own.filter(({ isReadable }) => !isReadable).map(({ path }) => path),
        ],
        hasNetwork,
      })
      return {
        argv: [program, '-p', profile, ...argv],
        env,
        cwd,
        inputs: [],
        isNamespaced: false,
        guard: null,
        ...(nested.newGit === null ? {} : { newGit: nested.newGit }),
      }
    },
  }
}

function placesOf(mounts: readonly { readonly at: string }[]): readonly string[] {
  return mounts.map(({ at }) => at)
}
