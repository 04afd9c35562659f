import { readlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, normalize } from 'node:path'
import { isReadableFile, kindOrMissing, realPathOf } from './inspect-path.ts'
import { isBelow, isTooWide } from './mount.ts'
import type { Mount } from './mount.ts'

/** Where systems keep their programs. Links among these stay links. */
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

/** Files in /etc that programs read and that are not secret: no keys, passwords or names of other machines. */
const ETC_FILES = [
  'debian_version',
  'group',
  'host.conf',
  'ld.so.cache',
  'ld.so.conf',
  'locale.alias',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'protocols',
  'services',
  'ssl/openssl.cnf',
  'timezone',
]
const ETC_FOLDERS = [
  'alternatives',
  'ca-certificates/extracted',
  'crypto-policies',
  'emacs',
  'fonts',
  'java-11-openjdk',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.conf.d',
  'pki/ca-trust',
  'pki/tls/certs',
  'ssl/certs',
]
const NETWORK_FILES = ['gai.conf', 'hosts', 'resolv.conf']

/** Mounts of the system itself. */
export function systemMounts(hasNetwork: boolean): readonly Mount[] {
  const files = hasNetwork ? [...ETC_FILES, ...NETWORK_FILES] : ETC_FILES
  return [
    ...SYSTEM.flatMap((path) =>
      kindOrMissing(path) === 'link'
        ? [{ kind: 'link', at: path, target: readlinkSync(path) } as const]
        : showPath(path, 'read'),
    ),
    ...ETC_FOLDERS.flatMap((name) => mountsOf(join('/etc', name))),
    ...files.flatMap((name): readonly Mount[] => {
      const at = join('/etc', name)
      const real = realPathOf(at)
      return real !== null && isReadableFile(real) ? [{ kind: 'copy', at, from: real }] : []
    }),
  ]
}

/** Folders next to `bin` that a program on PATH may need to run. */
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
/** Programs with further files in another part of the home folder. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  '.cargo/bin': ['.rustup/toolchains', '.rustup/settings.toml'],
  '.volta/bin': ['.volta/tools'],
  '.asdf/shims': ['.asdf/installs', '.tool-versions'],
  '.local/share/mise/shims': ['.local/share/mise/installs'],
}

/**
 * Mounts of the toolchains on PATH outside the system folders: all of a prefix such as /opt/tool, but of a prefix in
 * the home folder only the parts that hold programs, since tools keep their tokens next to them.
 */
export function toolchainMounts(
  pathVariable: string,
  home: string,
  roots: readonly string[],
): readonly Mount[] {
  const isOurs = (path: string): boolean => roots.some((root) => isBelow(path, root))
  const entries = pathVariable.split(':').filter((entry) => isAbsolute(entry))
  const places = entries.flatMap((written) => {
    const entry = normalize(written).replace(/(.)\/+$/, '$1')
    if (isOurs(entry) || isOfSystem(entry)) return []
    return [...partsOf(entry, home, roots), ...companionsOf(entry, home)]
  })
  return [...new Set(places)].flatMap((place) => (isOurs(place) ? [] : mountsOf(place)))
}

function partsOf(entry: string, home: string, roots: readonly string[]): readonly string[] {
  if (isTooWide(entry) || isBelow(home, entry)) return []
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

/** Mounts a path read-only, and also the target of its links; nothing if it does not exist. */
export function mountsOf(path: string): readonly Mount[] {
  return isOfSystem(path) ? [] : showPath(path, 'read')
}

/** The same for writing. */
export function writableMountsOf(path: string): readonly Mount[] {
  return showPath(path, 'write').filter(({ at }) => at === realPathOf(at) || !isOfSystem(at))
}

function showPath(path: string, kind: 'read' | 'write'): readonly Mount[] {
  const found = kindOrMissing(path)
  const real = found === 'missing' || found === 'other' ? null : realPathOf(path)
  if (real === null) return []
  const shown: Mount = { kind, at: path, from: real }
  return real === path || (kind === 'read' && isOfSystem(real)) ? [shown] : [shown, { kind, at: real }]
}

function isOfSystem(path: string): boolean {
  return SYSTEM.some((system) => isBelow(path, system))
}
