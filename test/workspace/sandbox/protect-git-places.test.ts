import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import * as places from '../../../src/host/git/git-places.ts'
import { protectGitPlaces } from '../../../src/workspace/sandbox/protect-git-places.ts'
import { makeScratch } from '../../harness/scratch.ts'

vi.mock('../../../src/host/git/git-places.ts', { spy: true })

it('what git obeys is looked for once for the steps of an edit, and again after a change of ours', () => {
  const scratch = makeScratch()
  const root = scratch.at('root')
  mkdirSync(root, { recursive: true })
  execFileSync('git', ['init', '-q', root])
  let now = 0
  const { find, forget } = protectGitPlaces([root], { namedLikeGit: () => [], elapsed: () => now })
  const hook = join(root, 'tools', 'pre-commit')
  for (let step = 0; step < 5; step++) expect(find(hook)).toBeNull()
  expect(places.findGitPlaces).toHaveBeenCalledTimes(1)
  execFileSync('git', ['-C', root, 'config', 'core.hooksPath', 'tools'])
  forget()
  expect(find(hook)?.why).toContain('git runs the hooks in it')
  execFileSync('git', ['-C', root, 'config', '--unset', 'core.hooksPath'])
  now += 1000
  expect(find(hook)).toBeNull()
})

it('what a repository in one root names in another one is kept there, too', () => {
  const scratch = makeScratch()
  const [repository, other] = [scratch.at('repository'), scratch.at('other')]
  for (const folder of [repository, other]) mkdirSync(folder, { recursive: true })
  execFileSync('git', ['init', '-q', repository])
  execFileSync('git', ['-C', repository, 'config', 'core.hooksPath', join(other, 'hooks')])
  const { find } = protectGitPlaces([repository, other], { namedLikeGit: () => [] })
  expect(find(join(other, 'hooks', 'pre-commit'))?.why).toContain('git runs the hooks in it')
  expect(find(join(other, 'a.txt'))).toBeNull()
})
