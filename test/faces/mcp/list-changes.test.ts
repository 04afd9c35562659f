import { expect, it } from 'vitest'
import { followList } from '../../../src/faces/mcp/list-changes.ts'

/** What is looked at and told while a client works, at the times that a test says. */
function follow(isShared = false) {
  const seen = { looks: 0, told: 0, now: 0, list: [] as readonly string[] | null }
  const clock = { now: () => seen.now, elapsed: () => seen.now }
  const make = () => {
    seen.looks += 1
    if (seen.list === null) throw new Error('unreadable')
    return seen.list
  }
  const tell = () => {
    seen.told += 1
  }
  return { seen, changes: followList(make, { tell, isShared, restMs: 1000 }, clock) }
}

it('a client that never asked for prompts costs no look at the files', () => {
  const { seen, changes } = follow()
  changes.look()
  expect(seen).toMatchObject({ looks: 0, told: 0 })
})

it('a change is told once, and looked for once a second at most', () => {
  const { seen, changes } = follow()
  changes.list()
  changes.look()
  seen.list = ['a']
  seen.now = 999
  changes.look()
  expect(seen).toMatchObject({ looks: 2, told: 0 })
  seen.now = 1000
  changes.look()
  seen.now = 2000
  changes.look()
  expect(seen).toMatchObject({ looks: 4, told: 1 })
})

it('a client that has asked again itself is told nothing that it knows', () => {
  const { seen, changes } = follow()
  changes.list()
  seen.list = ['a']
  expect(changes.list()).toEqual(['a'])
  seen.now = 5000
  changes.look()
  expect(seen.told).toBe(0)
  seen.list = ['a', 'b']
  seen.now = 9000
  changes.look()
  expect(seen.told).toBe(1)
})

it('clients that are told together learn of a change also if one of them has asked first', () => {
  const { seen, changes } = follow(true)
  changes.list()
  seen.list = ['a']
  changes.list()
  expect(seen.told).toBe(1)
  seen.now = 5000
  changes.look()
  expect(seen.told).toBe(1)
})

it('files that cannot be read fail no call', () => {
  const { seen, changes } = follow()
  changes.list()
  seen.list = null
  expect(() => changes.look()).not.toThrow()
  expect(() => changes.list()).toThrow('unreadable')
})
