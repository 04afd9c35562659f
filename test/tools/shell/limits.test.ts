import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { ASK_BEFORE, bench, outputOf } from '../../bench-folder.ts'

const isRoot = process.geteuid?.() === 0

function agreed(config: Record<string, unknown>) {
  const asked: ApprovalRequest[] = []
  const options: Partial<RuntimeOptions> = {
    config: { ...ASK_BEFORE, ...config },
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'once' as const)
    },
  }
  return { asked, options }
}

describe('limits of a command', () => {
  it('F-CUSTOM: of processor time, memory and files come from the configuration, and the result says what held', async () => {
    const { options } = agreed({
      'tools.shell.limits.cpu_seconds': 1,
      'tools.shell.limits.memory_bytes': 128 * 1024 ** 2,
      'tools.shell.limits.file_bytes': 10_240,
    })
    const b = bench()
    const shell = async (line: string) =>
      outputOf(await b.call('run_shell', { cmd: ['sh', '-c', line] }, options))
    expect(await shell('while :; do :; done')).toMatchObject({
      exit_code: null,
      signal: expect.stringMatching(/SIGKILL|SIGXCPU/) as string,
      limits: { cpu_seconds: 'rlimit', memory_bytes: 'rlimit', file_bytes: 'rlimit' },
    })
    expect(await shell('tail /dev/zero')).toMatchObject({
      stderr: expect.stringContaining('memory') as string,
    })
    expect(await shell('head -c 100000 /dev/zero >big; wc -c <big')).toMatchObject({ stdout: '10240\n' })
  })

  it('what its empty folders may hold comes from the configuration', async () => {
    const sizes = async (bytes: number) => {
      const { options } = agreed({ 'tools.shell.limits.scratch_bytes': bytes })
      const cmd = ['df', '-B1', '--output=size', '/tmp', '/dev/shm']
      const { stdout } = outputOf(await bench().call('run_shell', { cmd }, options))
      return String(stdout).trim().split('\n').slice(1).map(Number)
    }
    expect(await sizes(8 * 1024 ** 2)).toEqual([8 * 1024 ** 2, 8 * 1024 ** 2])
    for (const size of await sizes(0)) expect(size).toBeGreaterThan(8 * 1024 ** 2)
  })

  it('F-CUSTOM: 0 is no limit, and then none is spoken of', async () => {
    const keys = ['cpu_seconds', 'memory_bytes', 'processes', 'file_bytes']
    const { asked, options } = agreed(Object.fromEntries(keys.map((key) => [`tools.shell.limits.${key}`, 0])))
    const result = outputOf(
      await bench().call('run_shell', { cmd: ['sh', '-c', 'ulimit -t; ulimit -d; ulimit -f'] }, options),
    )
    expect(result).toMatchObject({ stdout: 'unlimited\nunlimited\nunlimited\n' })
    expect(result).not.toHaveProperty('limits')
    expect(asked[0]).toMatchObject({ rung: 'sandboxed by bubblewrap' })
    expect(asked[0]).not.toHaveProperty('limits')
  })

  it('what holds is named in the question, in the record and in the audit trail, and for root that processes are not counted', async () => {
    const { asked, options } = agreed({})
    const runtime = await bench().open(options)
    const [result] = await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['true'] } }])
    const processes = isRoot ? /not limited: processes \(.*root/ : /processes 4096 by/
    expect(asked[0]?.limits).toMatch(processes)
    const gate = runtime
      .why(result?.execution.id ?? '')[0]
      ?.gates.find(({ gate: name }) => name === 'confinement')
    expect(gate?.fact).toMatch(/^sandboxed by bubblewrap; limits: cpu_seconds 3600 per process by rlimit/)
    expect(gate?.fact).toMatch(processes)
    const events = [...runtime.audit()]
    expect(events.map(({ state, sandbox }) => [state, sandbox === gate?.fact])).toEqual([
      ['DECLARED', false],
      ['VALIDATED', false],
      ['AUTHORIZED', true],
      ['EXECUTING', true],
      ['COMPLETED', true],
    ])
    expect((outputOf(result)['limits'] as Record<string, string>)['processes']).toBe(
      isRoot ? 'none' : 'rlimit',
    )
  })

  it('without a sandbox of ours, the question, the result and the audit trail say so in the words that were configured', async () => {
    const sandbox = { 'tools.shell.sandbox': 'external', 'tools.shell.external_label': 'the build container' }
    for (const [config, label] of [
      [sandbox, 'confined from outside: the build container'],
      [{ 'tools.shell.sandbox': 'none' }, 'UNSANDBOXED'],
    ] as const) {
      const { asked, options } = agreed(config)
      const runtime = await bench().open({ ...options, preset: 'auto' })
      const [result] = await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['true'] } }])
      expect(asked[0]?.rung).toContain(label)
      expect(outputOf(result)).toMatchObject({ sandbox: label })
      expect([...runtime.audit()].at(-1)?.sandbox).toContain(label)
    }
  })

  it('a question that waits still says what would confine the command', async () => {
    const b = bench()
    const runtime = await b.open({ approve: 'later', config: { 'tools.shell.sandbox': 'none' } })
    await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['true'] } }])
    expect((await runtime.pending())[0]?.rung).toContain('UNSANDBOXED')
  })
})
