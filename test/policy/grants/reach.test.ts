import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, PermissionAnswer } from '../../../src/core/approval.ts'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { bench } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const PROJECT = {
  'package.json': '{"scripts":{"test":"node --test"}}',
  'test/a.test.js': "require('node:test')('adds', () => {})\n",
  'sub/a.txt': 'a\n',
  'sub/package.json': '{"scripts":{"test":"node --test"}}',
  'sub/b.test.js': "require('node:test')('b', () => {})\n",
}

/** Grants a scope when the first call is asked about, then gives which of the others are asked about. */
async function asksAbout(
  b: Bench,
  name: string,
  given: { readonly args: JsonObject; readonly kind: string },
  others: readonly { readonly args: JsonObject; readonly meta?: JsonObject }[],
): Promise<readonly boolean[]> {
  const asked: ApprovalRequest[] = []
  let isGranting = true
  const approve = (requests: readonly ApprovalRequest[]): readonly PermissionAnswer[] =>
    requests.map((request) => {
      asked.push(request)
      const scope = request.scopes.find((one) => one.scope.kind === given.kind)?.scope
      if (!isGranting) return { answer: 'deny' }
      if (scope === undefined) throw new Error(`no ${given.kind} was offered`)
      return { answer: 'scope', scope }
    })
  const runtime = await b.open({ approve })
  await runtime.run([{ id: 'first', name, args: given.args }])
  isGranting = false
  const found: boolean[] = []
  for (const { args, meta } of others) {
    const before = asked.length
    await runtime.run([{ id: 'c', name, args, ...(meta === undefined ? {} : { meta }) }])
    found.push(asked.length > before)
  }
  return found
}

describe('how far a grant reaches', () => {
  it('tests that may always run are those of the project, with a plain selector', async () => {
    const calls = [
      { args: {} },
      { args: { selector: 'adds' } },
      { args: { selector: 'test/a.test.js' } },
      { args: { selector: '^adds$' } },
      { args: { command: ['sh', '-c', 'echo evil'] } },
      { args: { command: ['node', '--test'], selector: 'adds' } },
      { args: { selector: 'evil.js' } },
      { args: { selector: 'scripts/latest.js' } },
      { args: { selector: 'bin/deploy' } },
      { args: { selector: 'test/../evil.js' } },
      { args: { selector: '-x' } },
      { args: { selector: 'a --require=./evil' } },
      { args: { selector: 'a; ./evil' } },
      { args: { selector: '$(./evil)' } },
      { args: {}, meta: { cwd: 'sub' } },
      { args: { network: true } },
    ]
    expect(await asksAbout(bench(PROJECT), 'run_tests', { args: {}, kind: 'tool' }, calls)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
    ])
  })

  it('says which tests they are, and is not offered for a command of the call', async () => {
    const seen: ApprovalRequest[] = []
    const runtime = await bench(PROJECT).open({
      approve: (requests) => {
        seen.push(...requests)
        return requests.map(() => 'deny')
      },
    })
    await runtime.run([
      { id: '1', name: 'run_tests', args: {} },
      { id: '2', name: 'run_tests', args: { command: ['sh', '-c', 'echo'] } },
    ])
    expect(seen.map(({ scopes }) => scopes.map(({ scope }) => scope.kind))).toEqual([
      ['arguments', 'tool'],
      ['arguments'],
    ])
    expect(seen[0]?.scopes[1]?.sentence).toBe(
      'run_tests may run without a question for the tests as they are found in the project, all or those of a plain selector.',
    )
  })

  it('a prefix does not reach variables, input, another folder, network or further paths', async () => {
    const cmd = ['ls', '-l']
    const b = bench(PROJECT)
    const beside = join(b.top, 'beside')
    mkdirSync(beside)
    const calls = [
      { args: { cmd } },
      { args: { cmd: ['ls', 'sub'], cwd: '.' } },
      { args: { cmd, timeout: 5 } },
      { args: { cmd, env: { A: '1' } } },
      { args: { cmd, stdin: 'x' } },
      { args: { cmd, cwd: 'sub' } },
      { args: { cmd }, meta: { cwd: 'sub' } },
      { args: { cmd, network: true } },
      { args: { cmd, read: [beside] } },
      { args: { cmd, write: [beside] } },
      { args: { cmd: ['./ls'] } },
      { args: { cmd: ['cat', 'a'] } },
    ]
    const given = { args: { cmd: ['ls'] }, kind: 'command' }
    expect(await asksAbout(b, 'run_shell', given, calls)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
      true,
    ])
  })
})
