import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GrantScope } from '../../../src/core/grant.ts'
import { grantFor, indexGrants } from '../../../src/policy/grants/find-grant.ts'
import { useShops } from '../../faces/cli/command-line.ts'
import type { Shop } from '../../faces/cli/command-line.ts'
import { someOf } from '../../harness/long-run.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { argv, grantOf } from './grant-bench.ts'

const NONE = 'UNSANDBOXED; without a layer'

describe('what confines a command', () => {
  const scopes: readonly GrantScope[] = [
    { kind: 'tool' },
    { kind: 'arguments', digest: 'd0' },
    { kind: 'command', words: ['git', 'log'] },
  ]

  it.each(scopes)('is part of what a grant covers: $kind', (scope) => {
    const call = argv('git', 'log')
    const covers = (given: string | undefined, now: string | undefined): boolean => {
      const grant = grantOf(scope, given === undefined ? {} : { confined: given })
      return (
        grantFor(indexGrants([grant]), now === undefined ? call : { ...call, confined: now }, 2000) !== null
      )
    }
    expect([covers(undefined, undefined), covers(undefined, NONE), covers(NONE, NONE)]).toEqual([
      true,
      false,
      true,
    ])
    // A command that is confined more than the one a person agreed to does less.
    expect([covers(NONE, undefined), covers('without a layer', NONE)]).toEqual([true, false])
  })
})

describe('a grant for a command that was sandboxed and on a layer', () => {
  const openShop = useShops()
  const beyond = (s: Shop): string => join(s.stateDir, '..', 'escaped')
  const call = (s: Shop) => {
    const line = `echo one >> a.txt; echo out > ${shellWord(beyond(s))} 2>/dev/null`
    return { id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }
  }
  const inSession = (name: string, ...settings: readonly string[]) => [
    '--session',
    name,
    ...settings.flatMap((one) => ['--set', one]),
  ]

  const WEAKER = [
    'tools.shell.sandbox=none',
    'tools.shell.layer=off',
    'tools.shell.passthrough=["out"]',
  ] as const

  it.each(someOf(WEAKER, 1))(
    'does not cover it with %s: it is asked about, with the reason, and a new grant is for that',
    async (setting) => {
      const s = openShop({ 'a.txt': '' })
      expect((await s.batch([call(s)])).code).toBe(4)
      expect((await s.tongs(['approve', 'all', '--scope', 'arguments'])).code).toBe(0)
      expect((await s.batch([call(s)], ...inSession('same'))).code).toBe(0)
      const before = s.get('a.txt')
      expect((await s.batch([call(s)], ...inSession('less', setting))).code).toBe(4)
      expect([s.get('a.txt'), existsSync(beyond(s))]).toEqual([before, false])
      const { out } = await s.tongs(['pending', '--json'])
      expect(out).toContain('was given for commands that are in the sandbox and on a layer')
      const again = ['approve', 'all', '--scope', 'arguments', '--set', setting]
      expect((await s.tongs(again)).code).toBe(0)
      expect((await s.batch([call(s)], ...inSession('agreed', setting))).code).toBe(0)
      expect((await s.batch([call(s)], ...inSession('more'))).code).toBe(0)
      expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
    },
  )
})
