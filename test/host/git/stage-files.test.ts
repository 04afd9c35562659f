import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { stageFiles } from '../../../src/host/git/stage-files.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** A repository in which git has to compare another file by content whenever it writes the index. */
function hostileRepository(driver: string) {
  const scratch = makeScratch()
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: scratch.path,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: scratch.at('.git') },
    })
  git('init', '-q')
  scratch.file('plain.txt', 'one\n')
  scratch.file('other.txt', 'other\n')
  git('config', 'core.trustctime', 'false')
  git('config', 'core.checkStat', 'minimal')
  const age = (path: string, date: string) => execFileSync('touch', ['-d', date, scratch.at(path)])
  age('other.txt', '2030-01-01 00:00:00')
  git('add', '-A')
  // Attributes that are asked for and those that count may differ, so they are set where a call cannot.
  scratch.file('.git/info/attributes', `other.txt filter=${driver}\n`)
  const put = (path: string, content: string): string => scratch.file(path, content)
  const stage = async () => {
    put('plain.txt', 'changed\n')
    age('.git/index', '2029-12-31 00:00:00')
    return stageFiles({ folder: scratch.path, timeoutMs: PATIENCE_MS }, [scratch.at('plain.txt')])
  }
  return { scratch, git, stage, made: scratch.at('.git/made') }
}

it.each([
  ['clean', 'evil', 'clean'],
  ['process', 'evil', 'process'],
  ['a name with signs', 'a=b.c"d', 'clean'],
  ['a required filter', 'evil', 'required'],
])('no filter of another file runs when a file is staged: %s', async (_, driver, key) => {
  const { scratch, git, stage, made } = hostileRepository(driver)
  const section = `[filter ${JSON.stringify(driver)}]`
  const program = JSON.stringify(`touch '${made}'; cat`)
  const lines = key === 'required' ? `required = true\n\tclean = ${program}` : `${key} = ${program}`
  // An included file counts as well.
  scratch.file('.git/more', `${section}\n\t${lines}\n`)
  git('config', 'include.path', 'more')
  expect(await stage()).toEqual([])
  expect(git('ls-files', '--stage', 'plain.txt')).toContain(
    git('hash-object', '--no-filters', 'plain.txt').trim(),
  )
  expect(existsSync(made)).toBe(false)
  // A git that is called without care falls for it.
  try {
    git('status')
  } catch {
    // A filter that speaks no protocol ends git.
  }
  expect(existsSync(made)).toBe(true)
})
