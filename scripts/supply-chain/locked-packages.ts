import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'

/** A package as the lock file pins it. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** The hash of its archive, in hex. */
  readonly sha512: string
  /** Whether users get it, get it on some platforms, or only those who work on Tongs do. */
  readonly use: 'runs' | 'optional' | 'development'
  /** Whether package.json names it. */
  readonly isDirect: boolean
}

/** An entry of the lock file. */
export interface LockedEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const FOLDER = 'node_modules/'
const INTEGRITY = /^sha512-([A-Za-z0-9+/]{86}==)$/

/**
 * The packages of the lock file, by name and version. Throws for one that is not pinned by a SHA-512, and for one that
 * would run a script where Tongs is installed.
 */
export function readLockedPackages(packages = readLock()): readonly LockedPackage[] {
  const { dependencies, devDependencies, optionalDependencies } = readManifest()
  const named = { ...dependencies, ...devDependencies, ...optionalDependencies }
  const found = Object.entries(packages).flatMap(([place, entry]): readonly LockedPackage[] => {
    if (place === '') return []
    const name = place.slice(place.lastIndexOf(FOLDER) + FOLDER.length)
    const hash = INTEGRITY.exec(entry.integrity ?? '')?.[1]
    if (hash === undefined || entry.version === undefined)
      throw new Error(`${place} has no SHA-512 in package-lock.json`)
    if (entry.dev !== true && entry.hasInstallScript === true)
      throw new Error(`${place} runs a script when it is installed`)
    return [
      {
        name,
        version: entry.version,
        license: entry.license ?? 'unknown',
        sha512: Buffer.from(hash, 'base64').toString('hex'),
        use: entry.dev === true ? 'development' : entry.optional === true ? 'optional' : 'runs',
        isDirect: place === `${FOLDER}${name}` && named[name] !== undefined,
      },
    ]
  })
  return found.toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

/** The entries of the lock file, by place. */
export function readLock(): Readonly<Record<string, LockedEntry>> {
  return read<{ packages: Readonly<Record<string, LockedEntry>> }>('package-lock.json').packages
}

/** What package.json says of the project. */
export function readManifest(): Manifest {
  return read<Manifest>('package.json')
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(join(TOP, file), 'utf8')) as T
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
