/** Compares what we protect with what git would run, for many spellings, and prints where they differ as JSON. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createEffort } from '../../../src/host/git/follow/effort.ts'
import { followNamedPath } from '../../../src/host/git/follow/follow-named-path.ts'
import { findGitPlace, findGitPlaces } from '../../../src/host/git/git-places.ts'
import { chooserFrom } from '../../harness/long-run.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { randomSpelling } from './random-spelling.ts'

const [, , how = '', seed = '1', count = '1'] = process.argv
if (how !== 'root') becomeOrdinary()
const choose = chooserFrom(Number(seed))
const top = realpathSync(mkdtempSync(join(tmpdir(), 'tongs-spell-')))
const home = join(top, 'home')
const work = join(top, 'work')
mkdirSync(join(work, 'first'), { recursive: true })
mkdirSync(home)
const env = { PATH: '/usr/bin:/bin', HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
Object.assign(process.env, { HOME: home, GIT_CONFIG_NOSYSTEM: '1' })
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
git('init', '-q', '-b', 'main')
const plain = execFileSync('cat', [join(work, '.git/config')], { encoding: 'utf8' })

/** What reading with a regular expression finds. */
const findNaively = (text: string): string | null => /^\s*hooksPath\s*=\s*(\S+)\s*$/m.exec(text)?.[1] ?? null

const missed: string[] = []
let tried = 0
try {
  while (tried < Number(count)) {
    const { config, more } = randomSpelling(choose)
    writeFileSync(join(work, '.git/config'), plain + config)
    writeFileSync(join(work, '.git/more'), more ?? '')
    let folder: string
    try {
      folder = git('config', '--includes', '--null', '--get', 'core.hooksPath').replace(/\0$/, '')
    } catch {
      // Git does not understand it, and runs nothing.
      continue
    }
    tried++
    const hook = followNamedPath(`${work}/${folder}/pre-commit`, createEffort())?.real ?? ''
    if (!hook.startsWith(`${work}/`)) continue
    const naive = findNaively(config)
    const places = findGitPlaces([work], join(work, 'first'), home)
    const isProtected =
      how === 'control'
        ? naive !== null && resolve(work, naive, 'pre-commit') === hook
        : !places.ok || findGitPlace(places, hook) !== null
    if (!isProtected) missed.push(JSON.stringify({ config, more, hook: hook.slice(work.length) }))
  }
} finally {
  rmSync(top, { recursive: true, force: true })
}
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), tried, missed }))
