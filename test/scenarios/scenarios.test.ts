import { describe, it } from 'vitest'
import { someOf } from '../harness/long-run.ts'
import { expectOutcome, expectSame } from './compare.ts'
import type { Face } from './face.ts'
import { acp } from './faces/acp.ts'
import { app } from './faces/app.ts'
import { commandLine, commandLineProcesses } from './faces/command-line.ts'
import { mcp, mcpProcess } from './faces/mcp.ts'
import { AS_MODEL, inLibrary } from './in-library.ts'
import { play } from './play.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scripts/scripts.ts'

/** Every face but the library, which they are compared with, and how many scenarios a quick run plays in it. */
const FACES: readonly (readonly [string, Face, number])[] = [
  ['the command line', commandLine, 20],
  ['MCP', mcp, 14],
  ['the app', app, 16],
  ['processes of the command line', commandLineProcesses, 2],
  ['a process that serves MCP', mcpProcess, 2],
  ['an agent of an editor', acp, 4],
]

const canPlay =
  ({ name }: Face) =>
  ({ cannot }: Scenario): boolean =>
    cannot?.[name] === undefined

describe('the library', () => {
  it.for(SCENARIOS)('$name', async (scenario) => {
    expectOutcome(await inLibrary(scenario, AS_MODEL), scenario)
  })
})

describe.for(FACES)('%s gives the same results, files and audit trail as the library', ([, face, few]) => {
  it.for(someOf(SCENARIOS.filter(canPlay(face)), few))('$name', async (scenario) => {
    expectSame(await play(scenario, face), await inLibrary(scenario, face), face.hasText ?? true)
  })
})
