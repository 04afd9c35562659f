import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const TOP = join(import.meta.dirname, '..', '..', '..')

it('nothing but tongs/ai needs the AI SDK, so it is an optional peer', () => {
  const users = globSync('src/**/*.ts', { cwd: TOP }).filter((file) =>
    /from 'ai'|import\('ai'\)/.test(readFileSync(join(TOP, file), 'utf8')),
  )
  expect(users.every((file) => file.startsWith('src/faces/ai/'))).toBe(true)
  const doors = globSync('src/**/*.ts', { cwd: TOP }).filter((file) =>
    /faces\/ai\//.test(readFileSync(join(TOP, file), 'utf8')),
  )
  expect(doors).toEqual(['src/ai.ts'])
  const { exports, dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(TOP, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, unknown>>
  expect(exports?.['./ai']).toEqual({ types: './dist/ai.d.ts', default: './dist/ai.js' })
  expect(dependencies?.['ai']).toBeUndefined()
  expect(peerDependencies?.['ai']).toBeDefined()
  expect(peerDependenciesMeta?.['ai']).toEqual({ optional: true })
})
