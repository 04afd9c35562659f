import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import { dying, hammer, run, tongs } from '../harness/faults/command.ts'
import type { Ended } from '../harness/faults/command.ts'
import { makeWorld } from '../harness/faults/world/world.ts'
import type { World } from '../harness/faults/world/world.ts'

const isLong = process.env['TONGS_LONG'] === '1'
const PROCESSES = isLong ? 8 : 5
const ROUNDS = isLong ? 8 : 5

// Processes that start at the same moment would all compile the same sources; one that has ended leaves them compiled.
beforeAll(async () => {
  const { root, stateDir } = world()
  expect(troubleOf(await run(hammer('edit', root, stateDir, 'first', 1)))).toBe('')
})

const worlds: World[] = []
afterEach(() => {
  for (const { remove } of worlds.splice(0)) remove()
})

function world(): World {
  const made = makeWorld()
  worlds.push(made)
  return made
}

function folder(path: string): string {
  fs.mkdirSync(path, { recursive: true })
  return path
}

const troubleOf = ({ code, signal, stderr }: Ended): string =>
  code === 0 ? '' : `${code ?? signal}: ${stderr}`

/** Every line and every file that the processes were told is written. */
function expectAllThere(root: string, session: string): void {
  const at = join(root, session)
  expect(fs.readdirSync(at)).toHaveLength(ROUNDS + 1)
  for (let round = 0; round < ROUNDS; round++)
    expect(fs.readFileSync(join(at, `new-${round}.txt`), 'utf8')).toBe(`${session} ${round}\n`)
  const lines = Array.from({ length: ROUNDS }, (_, round) => `${round}\n`)
  expect(fs.readFileSync(join(at, 'log.txt'), 'utf8')).toBe(lines.join(''))
}

describe('many processes on one state folder', () => {
  it.each([
    ['one root', 1],
    ['four roots', 4],
  ])(
    `${PROCESSES} processes editing in %s lose nothing and are never told that anything is busy`,
    async (_, rootCount) => {
      const { top, stateDir } = world()
      const workers = Array.from({ length: PROCESSES }, (__, index) => ({
        root: folder(join(top, `root-${index % rootCount}`)),
        session: `s${index}`,
      }))
      const ended = await Promise.all(
        workers.map(({ root, session }) => run(hammer('edit', root, stateDir, session, ROUNDS))),
      )
      expect(ended.map(troubleOf)).toEqual(workers.map(() => ''))
      for (const { root, session } of workers) expectAllThere(root, session)
      const report = verifyStore(stateDir)
      expect(report).toMatchObject({ ok: true, first_bad: null, sessions: PROCESSES })
      const runtime = await createRuntime({ root: workers[0]?.root ?? '', stateDir })
      expect(await runtime.recover()).toEqual([])
      await runtime.close()
    },
  )

  it('two processes in one session wait for each other, and neither loses a line', async () => {
    const { root, stateDir } = world()
    fs.writeFileSync(join(root, 'shared.txt'), '')
    const ended = await Promise.all([1, 2].map(() => run(hammer('share', root, stateDir, 'same', ROUNDS))))
    expect(ended.map(troubleOf)).toEqual(['', ''])
    const lines = fs.readFileSync(join(root, 'shared.txt'), 'utf8').trimEnd().split('\n')
    expect(new Set(lines).size).toBe(2 * ROUNDS)
    expect(lines).toHaveLength(2 * ROUNDS)
  })

  it('of sessions that edit one file at the same moment one wins, the others are told, and none is in doubt', async () => {
    const { root, stateDir } = world()
    const rounds = isLong ? 60 : 20
    fs.writeFileSync(join(root, 'shared.txt'), '')
    const ended = await Promise.all(
      ['one', 'two', 'three'].map((session) => run(hammer('compete', root, stateDir, session, rounds))),
    )
    expect(ended.map(troubleOf)).toEqual(['', '', ''])
    const endings = ended.flatMap(({ stdout }) => stdout.trimEnd().split('\n'))
    expect(endings).toHaveLength(3 * rounds)
    expect(endings.filter((ending) => ending !== 'ok' && ending !== 'stale_file')).toEqual([])
    const lines = fs.readFileSync(join(root, 'shared.txt'), 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(endings.filter((ending) => ending === 'ok').length)
    expect(new Set(lines).size).toBe(lines.length)
    expect(fs.readdirSync(root)).toEqual(['shared.txt'])
    const runtime = await createRuntime({ root, stateDir })
    expect(await runtime.recover()).toEqual([])
    await runtime.close()
  })

  it('whoever waits for a session whose owner dies in a commit gets it, and finishes the commit first', async () => {
    const made = world()
    const { root, stateDir } = made
    let waiting: Promise<Ended> | null = null
    const owner = await run(dying(hammer('pause', root, stateDir, 'same', 1), 'renameSync#2'), (text) => {
      if (!text.includes('paused')) return
      waiting = run(
        tongs(made, ['call', 'list_directory', '{"path":".","recursive":true}', '--session', 'same']),
      )
      // Long enough for the other to have come to the door; if not, it only finds it open.
      setTimeout(() => fs.writeFileSync(`${stateDir}.go`, ''), 1000)
    })
    expect(owner.signal).toBe('SIGKILL')
    const next = await (waiting as Promise<Ended> | null)
    expect(next?.code).toBe(0)
    for (const name of ['one.txt', 'sub/two.txt', 'three.txt']) {
      expect(next?.stdout).toContain(name)
      expect(fs.existsSync(join(root, name))).toBe(true)
    }
    expect(
      fs.readdirSync(root, { recursive: true }).filter((name) => String(name).includes('.tongs-')),
    ).toEqual([])
  })

  it('a session that another process owns for too long is refused with its name', async () => {
    const made = world()
    const { root, stateDir } = made
    let refused: Promise<Ended> | null = null
    const owner = await run(hammer('pause', root, stateDir, 'same', 1), (text) => {
      if (!text.includes('paused')) return
      const words = ['call', 'list_directory', '{"path":"."}', '--session', 'same']
      refused = run(tongs(made, [...words, '--set', 'tools.session_wait_seconds=1']))
      void refused.then(() => fs.writeFileSync(`${stateDir}.go`, ''))
    })
    const answer = await (refused as Promise<Ended> | null)
    expect(answer?.code).toBe(1)
    expect(answer?.stderr).toMatch(/Session same .* is in use by process \d+ \(hammer\.ts/)
    expect(owner.code).toBe(0)
  })
})
