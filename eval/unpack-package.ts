import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'

/** One version of a package, with the hash that `npm pack` has to bring. */
export interface NpmPackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

/** Unpacks a package into a folder; it is fetched once and checked each time. */
export function unpackPackage(wanted: NpmPackage, folder: string): void {
  const archive = fetchPackage(wanted)
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== wanted.integrity) {
    rmSync(archive)
    throw new Error(`${wanted.name} ${wanted.version} has the hash ${found}, not ${wanted.integrity}`)
  }
  const end = spawnSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'], { encoding: 'utf8' })
  if (end.status !== 0) throw new Error(`${archive} cannot be unpacked: ${end.stderr}`)
}

function fetchPackage({ name, version }: NpmPackage): string {
  const folder = join(cacheFolder(), 'packages')
  const archive = join(folder, `${name.replaceAll('/', '+')}-${version}.tgz`)
  if (existsSync(archive)) return archive
  mkdirSync(folder, { recursive: true })
  const place = mkdtempSync(join(folder, 'fetching-'))
  const args = ['pack', `${name}@${version}`, '--json', '--pack-destination', place]
  const end = spawnSync('npm', args, { cwd: place, encoding: 'utf8' })
  const [, file] = /"filename":\s*"([^"]+)"/.exec(end.stdout) ?? []
  if (end.status !== 0 || file === undefined)
    throw new Error(`${name} ${version} could not be fetched: ${end.stderr}`)
  renameSync(join(place, file), archive)
  rmSync(place, { recursive: true })
  return archive
}
