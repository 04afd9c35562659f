import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { shellWord } from '../../harness/shell-word.ts'
import type { Attack } from './attacks.ts'
import { makeRepository } from './git-attacks.ts'
import { namedGitWays } from './named-git-ways.ts'
import type { NamedWay } from './named-git-ways.ts'

/** What a hook says that leaves a mark. */
const SCRIPT = '#!/bin/sh\ntouch MARK\n'

function contentOf(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, 'utf8') : null
}

/** A command writes what git's configuration names; then a person calls git, and nothing foreign may run or be there. */
function attackBy({
  file,
  make,
  root = '.',
  later = ['status'],
  script = SCRIPT,
  before = '',
}: NamedWay): Attack {
  return async (bench) => {
    const top = realpathSync(mkdtempSync(join(dirname(bench.root), 'named-')))
    const home = join(top, 'home')
    mkdirSync(home)
    const mark = join(top, 'mark')
    const repository = makeRepository(join(top, 'work'))
    make(repository, home)
    const folder = join(repository, root)
    const text = script.replace('MARK', shellWord(mark))
    const confinement = bench.isOpen ? bench.open : await bench.confine({ roots: [folder], home })
    const planted = join(folder, file)
    const was = contentOf(planted)
    const env = { PATH: '/usr/bin:/bin', HOME: home, TEXT: text }
    const line = `${before} mkdir -p ${shellWord(dirname(file))}; printf %s "$TEXT" >${shellWord(file)}; chmod +x ${shellWord(file)}; touch first.txt`
    const end = await bench.sh(line, { confinement, cwd: folder, env, timeoutMs: 8_000 })
    try {
      execFileSync('git', later, { cwd: repository, env, stdio: 'ignore' })
    } catch {
      // What a command broke in its own workspace is the workspace's.
    }
    if (existsSync(mark)) return `a program was run outside: ${JSON.stringify(end)}`
    const now = contentOf(planted)
    return now === was || before.startsWith('ln ') ? null : `${file} has changed: ${JSON.stringify(end)}`
  }
}

/** Ways to write what git's configuration names, however it says so. */
export const namedGitAttacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  Object.entries(namedGitWays).map(([name, way]) => [`have git run what it names by ${name}`, attackBy(way)]),
)
