import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { makeShop } from './command-line.ts'
import type { Shop } from './command-line.ts'

function shop(): Shop {
  const made = makeShop({ 'a.txt': 'a\n' })
  onTestFinished(made.remove)
  return made
}

/** What reports many things, and what it prints of none. */
const FILTERS = [
  ['log --last 3', ''],
  ['stats', { calls: 0 }],
  ['audit export', ''],
  ['pending', { approvals: [] }],
  ['approve all', ''],
  ['deny all', ''],
  ['tasks', []],
  ['sessions', { sessions: [] }],
  ['policy replay', { judged: 0 }],
] as const

describe('what is not there', () => {
  it.each(['undo', 'redo'])('%s with nothing to take back names no session', async (verb) => {
    const { tongs } = shop()
    const { code, out, err } = await tongs([verb, '--yes', '--json'])
    expect([code, err]).toEqual([1, ''])
    expect(out.trim().split('\n')).toHaveLength(1)
    const message = `There is nothing to ${verb} in this folder.`
    expect(JSON.parse(out)).toMatchObject({ ok: false, session: null, message })
    if (verb === 'undo') {
      const named = JSON.parse((await tongs(['undo', 'nope', '--yes', '--json'])).out) as object
      expect(named).toMatchObject({ session: null, message: expect.stringContaining('nope') })
    }
    const session = JSON.parse((await tongs([verb, '--session', 's', '--yes', '--json'])).out) as object
    expect(session).toMatchObject({ session: 's' })
  })

  it('audit verify of a session that does not exist says so, and does not call it whole', async () => {
    const { tongs } = shop()
    await tongs(['call', 'read_file', '{"path":"a.txt"}', '--session', 'right'])
    const typo = await tongs(['audit', 'verify', '--session', 'rihgt'])
    expect([typo.code, typo.out]).toEqual([1, ''])
    expect(typo.err).toContain('there is no session "rihgt"')
    expect((await tongs(['audit', 'verify', '--session', 'rihgt', '--json'])).code).toBe(1)
    expect((await tongs(['audit', 'verify', '--session', 'right'])).out).toContain('in 1 session')
  })

  it('a report on a session that does not exist yet is empty, as of any that holds nothing, and stderr says why', async () => {
    const { tongs } = shop()
    for (const isFirst of [true, false]) {
      for (const [command, empty] of FILTERS) {
        const { code, out, err } = await tongs([...command.split(' '), '--session', 'rihgt', '--json'])
        expect([command, code]).toEqual([command, 0])
        if (empty === '') expect([command, out]).toEqual([command, ''])
        else expect(JSON.parse(out)).toMatchObject(empty)
        expect(err).toBe('tongs: there is no session "rihgt"\n')
      }
      if (isFirst) await tongs(['call', 'read_file', '{"path":"a.txt"}', '--session', 'right'])
    }
    expect((await tongs(['sessions', '--session', 'right'])).err).toBe('')
    expect((await tongs(['sessions', '--json'])).out).not.toContain('rihgt')
  })

  it('a command about one thing says that there is no session of the name, and exits with 1', async () => {
    const { tongs } = shop()
    await tongs(['call', 'read_file', '{"path":"a.txt"}', '--session', 'right'])
    for (const command of ['why 01', 'undo --yes', 'redo --yes', 'approve 01', 'deny 01']) {
      const { code, out, err } = await tongs([...command.split(' '), '--session', 'rihgt'])
      expect([command, code, out]).toEqual([command, 1, ''])
      expect(err).toMatch(/there is no session "rihgt"/i)
    }
  })

  it('a session that a later run makes has nothing to recover before', async () => {
    const { code, out } = await shop().tongs(['recover', '--session', 'nightly'])
    expect([code, out]).toEqual([0, 'Nothing was interrupted.\n'])
  })

  it('a file of TONGS_CONFIG that does not exist is named; one that does is used in silence', async () => {
    const { tongs, stateDir } = shop()
    const file = join(stateDir, '..', 'mine.toml')
    const explain = () =>
      tongs(['config', 'explain', 'tools.mode', '--json'], { env: { TONGS_CONFIG: file } })
    const missing = await explain()
    expect([missing.code, missing.err]).toEqual([
      0,
      expect.stringMatching(/TONGS_CONFIG names .*mine\.toml, which does not exist/),
    ])
    writeFileSync(file, '')
    expect((await explain()).err).toBe('')
  })

  it.each(['remove', 'trust', 'login', 'logout'])(
    'mcp %s of an unknown server exits with 1 and names those there are',
    async (verb) => {
      const { tongs } = shop()
      const { code, err } = await tongs(['mcp', verb, 'nobody'])
      expect([code, err]).toEqual([1, expect.stringContaining('nobody')])
      expect(err).not.toContain('by hand')
      expect(err).toContain('tongs mcp add')
      await tongs(['mcp', 'add', 'somebody', '--url', 'http://127.0.0.1:9/'])
      const other = await tongs(['mcp', verb, 'nobody'])
      expect([other.code, other.err]).toEqual([1, expect.stringContaining('There is somebody.')])
    },
  )

  it('mcp login of a server that is a program exits with 1, also without a terminal', async () => {
    const { tongs } = shop()
    await tongs(['mcp', 'add', 'program', '--', process.execPath])
    const { code, err } = await tongs(['mcp', 'login', 'program'])
    expect([code, err]).toEqual([1, expect.stringContaining('needs no sign-in')])
  })

  it('run --json says in an event that another process has its session', async () => {
    const { tongs, root, stateDir } = shop()
    const script = join(stateDir, '..', 'script.json')
    writeFileSync(script, '{"turns":[{"text":"Hello."}]}')
    const owner = await createRuntime({ root, stateDir })
    onTestFinished(() => owner.close())
    await owner.claim('busy')
    const words = ['run', 'go', '--model', `script:${script}`, '--session', 'busy', '--json']
    const { code, out } = await tongs(words)
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      event: 'error',
      code: 'session_busy',
      message: expect.stringContaining('Session busy of'),
    })
  })
})
