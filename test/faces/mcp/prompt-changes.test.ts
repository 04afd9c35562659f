import { expect, it } from 'vitest'
import { followPrompts } from '../../../src/faces/mcp/prompt-changes.ts'
import type { OwnCommands } from '../../../src/runtime/commands/own-command.ts'

const NONE: OwnCommands = { usable: [], unusable: [] }
const COMMAND = { name: 'a', description: 'A', argumentHint: '' } as unknown as OwnCommands['usable'][number]

/** What is looked at and told while a client works, at the times that a test says. */
function follow() {
  const seen = { looks: 0, told: 0, now: 0, commands: NONE as OwnCommands | null }
  const clock = { now: () => seen.now, elapsed: () => seen.now }
  const changes = followPrompts(
    () => {
      seen.looks += 1
      if (seen.commands === null) throw new Error('unreadable')
      return seen.commands
    },
    () => {
      seen.told += 1
    },
    clock,
  )
  return { seen, changes }
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
  seen.commands = { ...NONE, usable: [COMMAND] }
  seen.now = 999
  changes.look()
  expect(seen).toMatchObject({ looks: 2, told: 0 })
  seen.now = 1000
  changes.look()
  seen.now = 2000
  changes.look()
  expect(seen).toMatchObject({ looks: 4, told: 1 })
})

it('files that cannot be read fail no call', () => {
  const { seen, changes } = follow()
  changes.list()
  seen.commands = null
  expect(() => changes.look()).not.toThrow()
  expect(() => changes.list()).toThrow('unreadable')
})
