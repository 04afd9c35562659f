import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const here = import.meta.dirname
const FILES = ['package.json', 'package-lock.json'] as const
const run = promisify(execFile)

/**
 * The packages of others that long runs try Tongs with: the versions and hashes of the lock file beside this, installed
 * on first use. They run no scripts, and nothing of the product depends on them.
 */
export function outsideFolder(): Promise<string> {
  installing ??= install()
  return installing
}

let installing: Promise<string> | null = null

async function install(): Promise<string> {
  const folder = join(here, 'node_modules')
  const wanted = readFileSync(join(here, 'package-lock.json'), 'utf8')
  const mark = join(folder, '.installed-lock.json')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
  // Several files may begin at once, so each installs beside and the first one stays.
  const draft = join(here, `.install-${process.pid}`)
  mkdirSync(draft, { recursive: true })
  try {
    for (const name of FILES) copyFileSync(join(here, name), join(draft, name))
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: draft })
    writeFileSync(join(draft, 'node_modules', '.installed-lock.json'), wanted)
    if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder
    rmSync(folder, { recursive: true, force: true })
    try {
      renameSync(join(draft, 'node_modules'), folder)
    } catch (error) {
      // Another process was faster.
      if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) throw error
    }
    return folder
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
