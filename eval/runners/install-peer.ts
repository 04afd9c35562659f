import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'

/** Installs one version of a peer outside the project, unless it is there, and gives the path of a file in it. */
export function installPeer(name: string, version: string, file: string): string {
  const folder = peerFolder(name, version)
  const wanted = join(folder, 'node_modules', file)
  if (existsSync(wanted)) return wanted
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const args = ['install', '--save-exact', '--no-audit', '--no-fund', `${name}@${version}`]
  const end = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (end.status !== 0 || !existsSync(wanted))
    throw new Error(`${name} ${version} cannot be installed: ${end.stderr}`)
  return wanted
}

/** Where a version of a peer is installed. */
export function peerFolder(name: string, version: string): string {
  return join(cacheFolder(), 'peers', `${name.replaceAll('/', '+')}-${version}`)
}
