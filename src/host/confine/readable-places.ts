import { readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { kindIfSeen, realPathOf } from './look.ts'
import { isBelow } from './mount.ts'
import type { Mount } from './mount.ts'

/** Where systems keep their programs. A link among these stays a link. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/gnu/store',
  '/run/current-system',
]

/** What programs look up in /etc and everybody may know: no keys, no passwords, no names of other machines. */
const ETC = [
  'alternatives',
  'bash.bashrc',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'default/locale',
  'emacs',
  'fonts',
  'group',
  'host.conf',
  'inputrc',
  'java',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'locale.conf',
  'localtime',
  'lsb-release',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'perl',
  'pki/ca-trust',
  'pki/tls/certs',
  'profile',
  'protocols',
  'python3',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
]
const NETWORK_ETC = ['hosts', 'resolv.conf', 'gai.conf']

/** Mounts of what the system itself brings. */
export function systemMounts(hasNetwork: boolean): readonly Mount[] {
  const names = hasNetwork ? [...ETC, ...NETWORK_ETC] : ETC
  return [
    ...SYSTEM.flatMap((path) =>
      kindIfSeen(path) === 'link'
        ? [{ kind: 'link', at: path, target: readlinkSync(path) } as const]
        : mountsOf(path),
    ),
    ...names.flatMap((name) => mountsOf(join('/etc', name))),
  ]
}

/** Where a program on PATH keeps what it needs to run, below the folder that also holds its `bin`. */
const PROGRAM_PARTS = [
  'bin',
  'sbin',
  'lib',
  'lib32',
  'lib64',
  'libexec',
  'include',
  'shims',
  'versions',
  'toolchains',
  'plugins',
  'completions',
  'pyenv.d',
  'version',
  'pyvenv.cfg',
  'conda-meta',
  'envs',
  'pkg',
  'pkgs',
  'registry',
  'git',
  'node_modules',
  'vendor',
  'share/fnm',
  'share/mise',
  'share/pipx',
  'share/uv',
]
const PROGRAM_FOLDERS = new Set(['bin', 'sbin', 'shims'])
/** Programs whose other half lies elsewhere in the home folder. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  '.cargo/bin': ['.rustup/toolchains', '.rustup/settings.toml'],
  '.volta/bin': ['.volta/tools'],
  '.asdf/shims': ['.asdf/installs', '.tool-versions'],
  '.local/share/mise/shims': ['.local/share/mise/installs'],
}

/**
 * Mounts of the toolchains that PATH names outside of the system: all of a prefix such as /opt/tool, and of one that
 * lies directly in the home folder only the parts that hold programs, since tools keep their tokens beside those.
 */
export function toolchainMounts(
  pathVariable: string,
  home: string,
  roots: readonly string[],
): readonly Mount[] {
  const isOurs = (path: string): boolean => roots.some((root) => isBelow(path, root))
  const entries = pathVariable.split(':').filter((entry) => isAbsolute(entry))
  const places = entries
    .map((entry) => normalize(entry).replace(/(.)\/+$/, '$1'))
    .filter((entry) => !isOurs(entry) && !SYSTEM.some((path) => isBelow(entry, path)))
    .flatMap((entry) => [...partsOf(entry, home, roots), ...companionsOf(entry, home)])
  return [...new Set(places)].filter((place) => !isOurs(place)).flatMap(mountsOf)
}

function partsOf(entry: string, home: string, roots: readonly string[]): readonly string[] {
  const prefix = dirname(entry)
  const isTop = prefix === '/' || dirname(prefix) === '/'
  if (!PROGRAM_FOLDERS.has(basename(entry)) || isTop || isBelow(home, prefix)) return [entry]
  const isPersonal =
    dirname(prefix) === home || ['.config', '.local'].some((name) => isBelow(prefix, join(home, name)))
  const holdsRoot = roots.some((root) => isBelow(root, prefix))
  return isPersonal || holdsRoot ? PROGRAM_PARTS.map((part) => join(prefix, part)) : [prefix]
}

function companionsOf(entry: string, home: string): readonly string[] {
  if (!isBelow(entry, home)) return []
  return (COMPANIONS[entry.slice(home.length + 1)] ?? []).map((path) => join(home, path))
}

/** Shows a path where it is, and where its links lead to as well; nothing if it is not there. */
export function mountsOf(path: string): readonly Mount[] {
  const kind = kindIfSeen(path)
  const real = kind === 'missing' || kind === 'other' ? null : realPathOf(path)
  if (real === null) return []
  const shown: Mount = { kind: 'read', at: path, from: real }
  return real === path || SYSTEM.some((system) => isBelow(real, system))
    ? [shown]
    : [shown, { kind: 'read', at: real }]
}
