import { withoutEndSlashes } from '../../core/text/trim-end.ts'
import { readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import type { HeldPlace } from './held/held-place.ts'
import { isReadableFile, kindOrMissing, realPathOf } from './inspect-path.ts'
import { isBelow, isTooWide } from './mount.ts'
import type { Mount } from './mount.ts'
import { partsOfEntry } from './toolchain-parts.ts'
import type { ToolchainPart } from './toolchain-parts.ts'

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
        : mountPath(path, 'read'),
    ),
    ...ETC_FOLDERS.flatMap((name) => mountsOf(join('/etc', name))),
    ...files.flatMap((name): readonly Mount[] => {
      const at = join('/etc', name)
      const real = realPathOf(at)
      return real !== null && isReadableFile(real) ? [{ kind: 'copy', at, from: real }] : []
    }),
  ]
}

/** A place that toolchains on PATH have outside the system folders and the roots. */
export interface ToolchainPlace extends ToolchainPart {
  /** Without links. */
  readonly real: string
}

/** Finds the parts of the toolchains on PATH that commands may read. */
export function findToolchains(
  pathVariable: string,
  home: string,
  roots: readonly string[],
): readonly ToolchainPlace[] {
  const isOurs = (path: string): boolean => roots.some((root) => isBelow(path, root))
  const isOpen = (real: string): boolean =>
    !isTooWide(real) && !isBelow(home, real) && !roots.some((root) => isBelow(root, real))
  const places = new Map<string, ToolchainPlace>()
  const written = pathVariable.split(':').filter((one) => isAbsolute(one))
  const entries = new Set(written.map((one) => withoutEndSlashes(normalize(one))))
  const followed = new Map<string, string | null>()
  // Parts of a prefix have most of their way in common.
  const realOf = (path: string): string | null => {
    const known = followed.get(path)
    if (known !== undefined) return known
    const real = realPathOf(path)
    followed.set(path, real)
    return real
  }
  for (const entry of entries) {
    if (isOurs(entry) || isOfSystem(entry)) continue
    for (const part of partsOfEntry(entry, home)) {
      const real = realOf(part.path)
      // A link may lead to a folder that must not be shown as a whole.
      if (real === null || !real.isWellFormed() || isOurs(part.path) || !isOpen(real)) continue
      if (part.path === entry || !leadsAstray(real, { path: part.path, entry, home }, realOf))
        places.set(part.path, { ...part, real })
    }
  }
  return [...places.values()]
}

/** Whether a link in a prefix leads out of it to something in the home folder, which need not be a program. */
function leadsAstray(
  real: string,
  { path, entry, home }: { readonly path: string; readonly entry: string; readonly home: string },
  realOf: (path: string) => string | null,
): boolean {
  const realEntry = realOf(entry)
  const bases = [realOf(dirname(entry)), realOf(dirname(path)), realEntry && dirname(realEntry)]
  const isAtHome = isBelow(real, realOf(home) ?? home)
  return isAtHome && !bases.some((base) => base !== null && isBelow(real, base))
}

/** Mounts of the toolchains on PATH. */
export function toolchainMounts(
  pathVariable: string,
  home: string,
  roots: readonly string[],
): readonly Mount[] {
  return findToolchains(pathVariable, home, roots).flatMap(({ path }) => mountsOf(path))
}

/** Mounts a path read-only, and also the target of its links; nothing if it does not exist. */
export function mountsOf(path: string): readonly Mount[] {
  return isOfSystem(path) ? [] : mountPath(path, 'read')
}

/** The same for writing. */
export function writableMountsOf(path: string): readonly Mount[] {
  return mountPath(path, 'write').filter(({ at }) => at === realPathOf(at) || !isOfSystem(at))
}

/** Mounts what a path led to when it was judged, whatever it leads to now. */
export function mountsOfPlace(kind: 'read' | 'write', at: string, { real }: HeldPlace): readonly Mount[] {
  if (kind === 'read' && isOfSystem(at)) return []
  const shown: Mount = { kind, at, from: real }
  return real === at || (kind === 'read' && isOfSystem(real)) ? [shown] : [shown, { kind, at: real }]
}

function mountPath(path: string, kind: 'read' | 'write'): readonly Mount[] {
  const found = kindOrMissing(path)
  const real = found === 'missing' || found === 'other' ? null : realPathOf(path)
  // What has no name in text cannot be mounted.
  if (real === null || !real.isWellFormed()) return []
  const shown: Mount = { kind, at: path, from: real }
  return real === path || (kind === 'read' && isOfSystem(real)) ? [shown] : [shown, { kind, at: real }]
}

function isOfSystem(path: string): boolean {
  return SYSTEM.some((system) => isBelow(path, system))
}
