import { chmodSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import { openConnection } from '../../../src/faces/mcp/connection.ts'
import type { CallOutcome } from '../../../src/faces/mcp/connection.ts'
import { findToken } from '../../../src/faces/mcp/http-token.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { codeOf, connectHttp, listen, openServed } from './open-client.ts'

const ONCE = { 'tools.rules': [{ tool: 'read_file', type: 'MaxCalls', max: 1 }] }
const READ = { name: 'read_file', args: { path: 'a.txt' }, problems: [] }
const HOOKS = { signal: new AbortController().signal, onEvent: () => undefined }

/** How a call ended, in a word. */
function endOf(outcome: CallOutcome): string {
  if (outcome.is === 'asked') return 'asked'
  return outcome.result.ok ? 'ok' : outcome.result.error.code
}

describe('a turn of a client', () => {
  it('lasts until no call came for sixty seconds, and rules count in it', async () => {
    const served = await openServed({ config: ONCE })
    writeFileSync(join(served.root, 'a.txt'), 'one\n')
    let now = 0
    const connection = openConnection(served.runtime, { ...systemClock, elapsed: () => now })
    expect(endOf(await connection.call(READ, HOOKS))).toBe('ok')
    now += 59_000
    expect(endOf(await connection.call(READ, HOOKS))).toBe('rule_violation')
    // A refused call is a call all the same, so that the rest begins anew.
    now += 59_000
    expect(endOf(await connection.call(READ, HOOKS))).toBe('rule_violation')
    now += 61_000
    expect(endOf(await connection.call(READ, HOOKS))).toBe('ok')
    await connection.close()
  })
})

describe('the token of a server on loopback', () => {
  it('is made once, in a file that only its owner can read', async () => {
    const served = await openServed()
    const url = await listen(served, null)
    const file = join(served.stateDir, 'mcp-token')
    const token = readFileSync(file, 'utf8')
    expect(token.length).toBeGreaterThan(40)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const { call } = await connectHttp(url, '2026-07-28', null, token)
    expect(codeOf(await call('glob', { patterns: ['*'] }))).toBe('ok')
    await expect(connectHttp(url, '2026-07-28', null, `${token}x`)).rejects.toThrow()
    await listen(served, null)
    expect(readFileSync(file, 'utf8')).toBe(token)
  })

  it.each<[string, (file: string, ours: string) => void]>([
    ['that another program chose', (file) => writeFileSync(file, 'planted', { mode: 0o600 })],
    [
      'that another program made like one of ours',
      (file) => writeFileSync(file, `${'A'.repeat(43)}.${'0'.repeat(64)}`, { mode: 0o600 }),
    ],
    [
      'of another state folder',
      (file) => writeFileSync(file, findToken(makeScratch().at('other')).text, { mode: 0o600 }),
    ],
    ['that was changed', (file, ours) => writeFileSync(file, `B${ours.slice(1)}`)],
    ['that is empty', (file) => writeFileSync(file, '')],
    ['that others could read', (file) => chmodSync(file, 0o644)],
    [
      'behind a link',
      (file) => {
        renameSync(file, `${file}.moved`)
        symlinkSync(`${file}.moved`, file)
      },
    ],
  ])('one %s is refused, in a sentence that says what to do', async (_, plant) => {
    const served = await openServed()
    const file = join(served.stateDir, 'mcp-token')
    await listen(served, null)
    plant(file, readFileSync(file, 'utf8'))
    for (const attempt of [1, 2])
      expect(() => findToken(served.stateDir), `try ${attempt}`).toThrow(/this token is not used: /)
    rmSync(file)
    expect(findToken(served.stateDir).text).toBe(readFileSync(file, 'utf8'))
  })
})
