import { expect, it } from 'vitest'
import { findInnerProjects } from '../../../src/tools/test-runs/inner-projects.ts'
import type { Project } from '../../../src/tools/test-runners/test-runner.ts'

/** A project with these patterns for its packages, and one package. */
function projectWith(workspaces: readonly string[]): Project {
  const text = JSON.stringify({ workspaces })
  const unused = (): never => {
    throw new Error('not used')
  }
  return {
    folder: '',
    files: {} as Project['files'],
    read: (name) => (name === 'package.json' ? text : null),
    locate: unused,
    has: unused,
    find: () => Promise.resolve(['package.json', 'packages/one/package.json']),
  }
}

const others = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `other/*/${at}`)

it('packages are found by the patterns of their project, of which only so many count', async () => {
  expect(await findInnerProjects(projectWith([...others(400), 'packages/*']))).toEqual(['packages/one'])
  expect(await findInnerProjects(projectWith([...others(2_000), 'packages/*']))).toEqual([])
})

it('a pattern that takes packages out counts, however many put some in', async () => {
  expect(await findInnerProjects(projectWith(['packages/*', ...others(2_000), '!packages/one']))).toEqual([])
})
