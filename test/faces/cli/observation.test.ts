import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../../scripts/run-tool.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

function tongs(b: Bench, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const argv = [join(TOP, 'bin/tongs.cjs'), ...words, '--root', b.root]
  const end = spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    env: { ...process.env, TONGS_STATE_DIR: b.stateDir, ...env },
  })
  const lines = end.stdout.split('\n').filter((line) => line !== '')
  return { ...end, lines, rows: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

const WAY = ['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING']

describe('what the command line shows of what happened', () => {
  it('log --last prints the newest entries of all sessions or of one, oldest first', () => {
    const b = bench({ 'a.txt': 'a' })
    for (const session of ['one', 'two', 'one'])
      tongs(b, ['call', 'read_file', '{"path":"a.txt"}', '--session', session])
    const last = (...words: readonly string[]) =>
      tongs(b, ['log', '--json', '--last', ...words])
        .rows()
        .map(({ session, kind }) => `${String(session)} ${String(kind)}`)
    expect(last('3')).toEqual(['two settled', 'one batch', 'one settled'])
    expect(last('1', '--session', 'two')).toEqual(['two settled'])
    expect(last('99')).toHaveLength(6)
    expect(tongs(b, ['log', '--last', '0'])).toMatchObject({ status: 2, stdout: '' })
  })

  it('audit export prints one event per line, each with the user who is at work', () => {
    const b = bench({ 'a.txt': 'a' })
    tongs(b, ['call', 'read_file', '{"path":"a.txt"}'])
    tongs(b, ['call', 'read_file', '{"path":"none.txt"}'])
    const events = tongs(b, ['audit', 'export', '--json']).rows()
    expect(events.map(({ state }) => state)).toEqual([...WAY, 'COMPLETED', ...WAY, 'ROLLED_BACK'])
    const user = userInfo().username
    for (const event of events)
      expect(event).toMatchObject({
        eventId: expect.any(String),
        timestamp: expect.any(Number),
        toolId: 'read_file',
        toolVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        executionId: expect.any(String),
        userId: user,
        actor: { id: user },
        capabilities: expect.any(Array),
        inputHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
  })

  it('R-TEL-5: stats tells what calls used, for programs and for people', () => {
    const b = bench({ 'a.txt': 'a' })
    tongs(b, ['call', 'read_file', '{"path":"a.txt"}'])
    const [stats] = tongs(b, ['stats', '--json']).rows()
    expect(stats).toMatchObject({
      calls: 1,
      success_rate: 1,
      failure_rate: 0,
      duration_ms: { p50: expect.any(Number), p95: expect.any(Number), p99: expect.any(Number) },
      resources: { measured: 1, cpu_ms: expect.any(Number), max_rss_bytes: expect.any(Number) },
    })
    expect(tongs(b, ['stats']).stdout).toMatch(/cpu [\d.]+ ms, memory at most [\d.]+ MiB, device reads \d+/)
  })

  it('errors keep to themselves where they come from, unless TONGS_DEBUG is set', () => {
    const b = bench()
    const words = ['call', 'read_file', '{"path":"none.txt"}', '--json']
    const quiet = tongs(b, words)
    const loud = tongs(b, words, { TONGS_DEBUG: '1' })
    expect(quiet.stderr).toBe('')
    expect(loud.stderr).toMatch(
      /^tongs: debug: execution_failed while running of read_file \(.*\), now ROLLED_BACK\n/,
    )
    expect(loud.stderr).toMatch(/\n\s+at /)
    expect(loud.rows()[0]?.['error']).toEqual(quiet.rows()[0]?.['error'])
  })

  it('a name that names nothing is not done, a name that cannot be one is bad usage', () => {
    const b = bench({ 'a.txt': 'a' })
    expect(tongs(b, ['why', 'zzz']).status).toBe(1)
    expect(tongs(b, ['forget', 'zzz']).status).toBe(1)
    expect(tongs(b, ['tools', 'zzz']).status).toBe(1)
    expect(tongs(b, ['call', 'read_file', '{"path":"a.txt"}', '--session', '']).status).toBe(2)
  })

  it('a call is named by what no other call begins with, and why looks only at the session that is named', () => {
    const b = bench({ 'a.txt': 'a' })
    const [one = '', two = ''] = ['one', 'two'].map((session) => {
      tongs(b, ['call', 'read_file', '{"path":"a.txt"}', '--session', session])
      return String(tongs(b, ['audit', 'export', '--json', '--session', session]).rows()[0]?.['executionId'])
    })
    const shared = one.slice(
      0,
      [...one].findIndex((char, at) => char !== two[at]),
    )
    for (const command of ['why', 'forget']) {
      const { status, stderr } = tongs(b, [command, shared])
      expect([status, stderr]).toEqual([1, expect.stringContaining(`it could be ${one}, ${two}`)])
    }
    expect(tongs(b, ['why', shared, '--session', 'two']).stdout).toContain(two)
    expect(tongs(b, ['why', one, '--session', 'two'])).toMatchObject({ status: 1, stdout: '' })
  })

  it('--help helps wherever it stands', () => {
    const b = bench()
    for (const words of [
      ['call', '--help'],
      ['call', 'read_file', '{}', '--help'],
    ]) {
      const { status, stdout } = tongs(b, words)
      expect([status, stdout.includes('usage: tongs call TOOL')]).toEqual([0, true])
    }
    for (const words of [['--help'], ['run', '--help'], ['app', '--help']]) {
      const { status, stdout } = tongs(b, words)
      expect([status, stdout.includes('usage: tongs ')]).toEqual([0, true])
      for (const option of ['--model', '--base-url', '--continue', '--max-tokens'])
        expect(stdout).toContain(option)
    }
  })
})
