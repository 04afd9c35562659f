import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf } from '../../bench-folder.ts'
import { findByCommandLine, oddSeconds } from '../../host/run/command-bench.ts'
import { nasty, unmarked } from '../../host/run/nasty-commands.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }

describe('a call whose command does not want to end', () => {
  it.each(['timeout', 'cancelled'] as const)(
    'FR-EXE-05, F-TEST-shell-timeout: ends as %s with every process that came of it gone by then',
    async (code) => {
      const runtime = await bench().open(agreed)
      const lines = Object.entries({ ...nasty, ...unmarked })
      const left = await Promise.all(
        lines.map(async ([name, write], index) => {
          const seconds = oddSeconds()
          const cmd = ['sh', '-c', write(seconds)]
          const signal = code === 'cancelled' ? AbortSignal.timeout(600) : new AbortController().signal
          const [result] = await runtime.run(
            [{ id: name, name: 'run_shell', args: { cmd, ...(code === 'timeout' ? { timeout: 1 } : {}) } }],
            { session: `s${index}`, signal },
          )
          return [name, errorOf(result).code, errorOf(result).state, findByCommandLine(seconds).length]
        }),
      )
      expect(left).toEqual(lines.map(([name]) => [name, code, 'ROLLED_BACK', 0]))
    },
  )

  it.each([
    [0, false],
    [30, true],
  ])('has %d s to put its things in order, as configured', async (seconds, isDone) => {
    const b = bench({}, { 'tools.shell.layer': 'off' })
    const line = 'trap "sleep 1; echo saved >done.txt; exit" TERM; echo up; while :; do sleep 0.05; done'
    const stop = new AbortController()
    const runtime = await b.open({ ...agreed, config: { 'tools.shell.grace_seconds': seconds } })
    const [result] = await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }], {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.event === 'output') stop.abort()
      },
    })
    expect(errorOf(result).code).toBe('cancelled')
    expect(existsSync(join(b.root, 'done.txt'))).toBe(isDone)
  })
})
