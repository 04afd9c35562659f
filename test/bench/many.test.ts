import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { callAll, sayLimit } from '../../bench/many/rows-sessions.ts'
import { workTogether } from '../../bench/many/rows-processes.ts'
import { countFiles, fillSessions, listLeast } from '../../bench/many/rows-state-folder.ts'
import { trivial } from '../../bench/place.ts'
import { measureFolder } from '../../bench/rows-install.ts'
import { slopeOf } from '../../bench/soak.ts'
import { createRuntime } from '../../src/index.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tongs-many-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe('many sessions', () => {
  it('are each answered for their own call', async () => {
    const runtime = await createRuntime({ root: folder(), tools: [trivial], durability: 'memory' })
    await expect(callAll(runtime, 64)).resolves.toBeUndefined()
    await runtime.close()
  })

  it('control: an answer of another session is noticed', async () => {
    const runtime = await createRuntime({ root: folder(), tools: [trivial], durability: 'memory' })
    const mixed: Parameters<typeof callAll>[0] = {
      run: (calls, options) =>
        runtime.run(
          calls.map((call) => ({ ...call, args: { a: 7, b: 0 } })),
          options,
        ),
    }
    await expect(callAll(mixed, 16)).rejects.toThrow('was answered')
    await runtime.close()
  })

  it('fill a state folder', async () => {
    const { stateDir } = await fillSessions(folder(), 3)
    expect(countFiles(stateDir)).toBeGreaterThan(0)
    expect(listLeast({ root: '', stateDir })).toBeGreaterThan(0)
  })
})

describe('what holds many sessions back', () => {
  it('is told apart: what so many calls at once add without a database, and what the database adds', () => {
    const said = sayLimit({ one: 50, many: 80 }, { one: 10, many: 22 }, 256)
    expect(said).toContain('of 256 at once 22: keeping so many calls at once adds 12 us')
    expect(said).toMatch(/every table, 18$/)
  })
})

describe('many processes', () => {
  it('work on one state folder at the same time', async () => {
    const worked = await workTogether(2, 0.2)
    expect(worked.map(({ failures }) => failures)).toEqual([[], []])
    expect(Math.min(...worked.map(({ calls }) => calls))).toBeGreaterThan(0)
  })

  it('work beside each other on state folders of their own, to say what sharing one costs', async () => {
    const worked = await workTogether(2, 0.2, 'apart')
    expect(worked.map(({ failures }) => failures)).toEqual([[], []])
  })
})

describe('what grows', () => {
  it('is the slope of the line through all looks', () => {
    expect(
      slopeOf([
        [0, 5],
        [1, 7],
        [2, 9],
      ]),
    ).toBeCloseTo(2)
    expect(
      slopeOf([
        [0, 3],
        [1, 4],
        [2, 3],
        [3, 4],
        [4, 3],
      ]),
    ).toBeCloseTo(0)
  })
})

describe('the size of an installation', () => {
  it('counts each file once, and packages at any depth', () => {
    const modules = join(folder(), 'node_modules')
    for (const name of ['one', '@scope/two', 'one/node_modules/three', 'one/lib'])
      mkdirSync(join(modules, name), { recursive: true })
    for (const name of ['one', '@scope/two', 'one/node_modules/three'])
      writeFileSync(join(modules, name, 'package.json'), '0123456789')
    writeFileSync(join(modules, 'one/lib/package.json'), '0123456789')
    expect(measureFolder(modules)).toEqual({ bytes: 40, packages: 3 })
  })
})
