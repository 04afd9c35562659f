import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { ALONE } from '../alone.ts'

const texts = new Map(
  globSync('test/**/*.ts', { cwd: TOP }).map((name) => [name, readFileSync(join(TOP, name), 'utf8')]),
)
/** Modules that replace functions of Node for as long as the process lives. */
const REPLACING = ['test/harness/faults/world/steps.ts', 'test/harness/watch-functions.ts']
const HOOK = /^(?:before|after)(?:Each|All)\(/m

/** The files of the tests that a file loads, directly or not, and itself. */
function loadedBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  const text = texts.get(name)
  if (text === undefined || found.has(name)) return found
  found.add(name)
  for (const [, wanted = ''] of text.matchAll(/^(?:import|export|\}).* from '(\..+)'$/gm))
    loadedBy(normalize(join(dirname(name), wanted)), found)
  return found
}

const shared = [...texts.keys()].filter(
  (name) => name.endsWith('.test.ts') && !ALONE.some((pattern) => matchesGlob(name, pattern)),
)

it('files that share a process replace nothing in it, and load no helper whose hooks only the first of them would get', () => {
  const faults = shared.flatMap((name) => {
    const loaded = [...loadedBy(name)]
    return [
      ...loaded.filter((path) => REPLACING.includes(path)).map((path) => `${name} loads ${path}`),
      ...loaded
        .filter((path) => path !== name && HOOK.test(texts.get(path) ?? ''))
        .map((path) => `${name} loads ${path}, which has hooks of its own`),
      ...loaded
        .filter((path) => /\bvi\.(?:do)?mock\(/i.test(texts.get(path) ?? ''))
        .map((path) => `${name} replaces a module in ${path}`),
    ]
  })
  expect(faults).toEqual([])
})

it('sees a file that would have to be alone', () => {
  expect(shared.length).toBeGreaterThan(200)
  expect([...loadedBy('test/workspace/landing/recheck.test.ts')]).toContain(REPLACING[0])
})
