import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckedCall } from '../../../src/pipeline/after/judge-only.ts'
import type { Replayed } from '../../../src/pipeline/after/replay.ts'
import { makeShop, shopHere, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'

function openShop(files: Readonly<Record<string, string>> = { 'a.txt': 'a\n' }) {
  const shop = makeShop(files)
  onTestFinished(shop.remove)
  const here = shopHere(shop)
  const file = (name: string, text: string): string => {
    const path = join(shop.root, '..', name)
    writeFileSync(path, text)
    return path
  }
  return { shop, here, file }
}

const read = (path: string) => ({ name: 'read_file', args: { path } })

describe('rules from outside', () => {
  it('two calls of one batch: the one allowed and one too many, and why knows the rule', async () => {
    const { here, file } = openShop()
    const rules = file('r.toml', '[[tools.rules]]\ntool = "read_file"\ntype = "MaxCalls"\nmax = 1\n')
    const calls = ['1', '2'].map((id) => ({ id, ...read('a.txt') }))
    const { code, rows } = await here.batch(calls, '--config', rules)
    expect(code).toBe(3)
    expect(rows.map((row) => (row.ok ? 'ok' : row.error.code))).toEqual(['ok', 'rule_violation'])
    const { out } = await here.tongs(['why', rows[1]?.execution.id ?? '', '--json'])
    expect(JSON.parse(out)).toMatchObject({ verdict: 'denied', gate: 'rules' })
  })

  it('rules shows each sentence and where it is written', async () => {
    const { here, file } = openShop()
    const rules = file(
      'r.toml',
      '\n[[tools.rules]]\ntool = "task"\ntype = "AllowedOperations"\noperations = ["list"]\n',
    )
    const text = await here.tongs(['rules', '--config', rules])
    expect(text.out).toContain(`task may do only list.  ${rules}:2:1`)
    const { out } = await here.tongs(['rules', '--json', '--config', rules])
    expect(JSON.parse(out)).toMatchObject({
      rules: [{ tool: 'task', type: 'AllowedOperations', sentence: 'task may do only list.' }],
    })
    const tools = await here.tongs(['tools', 'task', '--json', '--config', rules])
    expect(JSON.parse(tools.out)[0].inputSchema.properties.action.enum).toEqual(['list'])
  })

  it('rules that cannot hold together are named with their lines, and nothing runs', async () => {
    const { here, file } = openShop()
    const rule = (tool: string, type: string, more = '') =>
      `[[tools.rules]]\ntool = "${tool}"\ntype = "${type}"\n${more}\n`
    const cases: readonly (readonly [string, readonly number[]])[] = [
      [
        rule('glob', 'StartConstraint') +
          rule('search', 'StartConstraint') +
          rule('*', 'ExclusiveGroups', 'groups = [["glob", "search"]]'),
        [1, 5, 9],
      ],
      [
        rule('glob', 'RequiresPrecedingTools', 'tools = ["search"]') +
          rule('search', 'RequiresPrecedingTools', 'tools = ["glob"]'),
        [1, 5],
      ],
      [`\n${rule('red_file', 'MaxCalls', 'max = 1')}`, [2]],
    ]
    for (const [text, lines] of cases) {
      const path = file('clash.toml', text)
      const { code, err } = await here.tongs(['call', 'read_file', '{"path":"a.txt"}', '--config', path])
      expect(code).toBe(2)
      for (const line of lines) expect(err).toContain(`${path}:${line}:1`)
    }
    expect((await here.tongs(['log', '--json'])).out).toBe('')
  })

  it('P-START: the third call of a batch gets what is missing from the runtime, in a row before its own', async () => {
    const { here, file } = openShop()
    const rules = file('r.toml', '[[tools.rules]]\ntool = "list_files"\ntype = "StartConstraint"\n')
    const calls = ['1', '2', '3'].map((id) => ({ id, ...read('a.txt') }))
    const { rows } = await here.batch(calls, '--config', rules)
    expect(rows.map((row) => [row.name, row.ok, row.origin])).toEqual([
      ['read_file', false, undefined],
      ['read_file', false, undefined],
      ['list_files', true, 'runtime'],
      ['read_file', true, undefined],
    ])
    expect(rows.map((row) => (row.ok ? undefined : row.error.details['escalation']))).toEqual([
      undefined,
      2,
      undefined,
      undefined,
    ])
  })
})

describe('several processes in one session', () => {
  it('P-RULE-Cooldown: of calls made at the same time one runs, and the others hear of it', async () => {
    const { shop } = openShop()
    const words = [
      'call',
      'list_files',
      '{}',
      '--json',
      '--set',
      'tools.rules=[{tool="list_files",type="Cooldown",seconds=600}]',
    ]
    const ends = await Promise.all([1, 2, 3].map(() => shop.tongs(words)))
    expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 3, 3])
  })
})

describe('policy check', () => {
  const checked = async (shop: Shop, words: readonly string[]): Promise<readonly CheckedCall[]> => {
    const { out } = await shop.tongs(['policy', 'check', ...words, '--json'])
    return out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckedCall)
  }

  it('says what would be said, gate by gate, and leaves no trace', async () => {
    const { here, file } = openShop()
    const calls = [
      read('a.txt'),
      read('../a'),
      { name: 'write_file', args: { path: 'n', content: '' } },
      { name: 'nope', args: {} },
    ]
    const found = await checked(here, [file('calls.json', JSON.stringify(calls))])
    expect(found.map(({ verdict, gate }) => [verdict, gate])).toEqual([
      ['allowed', 'resources'],
      ['denied', 'sandbox'],
      ['ask', 'approval mode'],
      ['failed', 'lookup'],
    ])
    expect(found[1]).toMatchObject({ execution: null, error: 'path_outside_sandbox' })
    expect(found[1]?.satisfy.join(' ')).toMatch(/inside the root/)
    expect((await here.tongs(['log', '--json'])).out).toBe('')
    expect(here.get('n')).toBeNull()
  })

  it('says the same as why does once the call is made', async () => {
    const { here, file } = openShop()
    const [before] = await checked(here, [file('call.json', JSON.stringify(read('a.txt')))])
    const { out } = await here.tongs(['call', 'read_file', '{"path":"a.txt"}', '--json'])
    const { execution } = JSON.parse(out) as { execution: { id: string } }
    const after = JSON.parse((await here.tongs(['why', execution.id, '--json'])).out) as CheckedCall
    expect(before).toMatchObject({ verdict: after.verdict, gate: after.gate, gates: after.gates })
  })

  it('judges by what the session has on record', async () => {
    const { here, file } = openShop()
    const call = file('call.json', JSON.stringify(read('a.txt')))
    const rule = ['--set', 'tools.rules=[{tool="read_file",type="Cooldown",seconds=600}]']
    expect((await checked(here, [call, ...rule]))[0]?.verdict).toBe('allowed')
    await here.tongs(['call', 'read_file', '{"path":"a.txt"}'])
    const [now] = await checked(here, [call, ...rule])
    expect(now).toMatchObject({ verdict: 'denied', gate: 'rules', error: 'rule_violation' })
    expect(now?.message).toMatch(/cooldown: \d+ s left/)
    expect((await checked(here, [call, ...rule, '--session', 'other']))[0]?.verdict).toBe('allowed')
  })

  it('ends with 0 once it has judged, and as the call would where that is wanted', async () => {
    const { here, file } = openShop()
    const codes = async (call: object) => {
      const path = file('call.json', JSON.stringify(call))
      const plain = await here.tongs(['policy', 'check', path])
      return [plain.code, (await here.tongs(['policy', 'check', path, '--exit-code'])).code]
    }
    expect(await codes(read('a.txt'))).toEqual([0, 0])
    expect(await codes(read('../a'))).toEqual([0, 3])
    expect(await codes(writes('x'))).toEqual([0, 4])
    expect(await codes({ name: 'nope', args: {} })).toEqual([0, 1])
  })

  it.each([
    [['policy'], /needs more arguments/],
    [['policy', 'chek', 'x'], /usage/],
    [['policy', 'check'], /usage/],
    [['policy', 'replay', 'x'], /usage/],
    [['policy', 'check', '/nowhere.json'], /cannot read \/nowhere\.json/],
  ])('bad usage ends with 2: %j', async (words, message) => {
    const { here } = openShop()
    const { code, err } = await here.tongs(words)
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })

  it('text that is no call ends with 2 and says what one looks like', async () => {
    const { here, file } = openShop()
    for (const text of ['3', '{', '"x"', '']) {
      const { code, err } = await here.tongs(['policy', 'check', file('bad.json', text)])
      expect(code).toBe(2)
      expect(err).toMatch(/"name": "read_file"/)
    }
  })
})

describe('policy replay', () => {
  const replayed = async (shop: Shop, ...words: readonly string[]) => {
    const { code, out } = await shop.tongs(['policy', 'replay', '--json', ...words])
    expect(code).toBe(0)
    return JSON.parse(out) as Pick<Replayed, 'differences' | 'judged'> & {
      readonly not_judged: readonly { why: string }[]
    }
  }

  it('under the same configuration nothing differs, whatever happened', async () => {
    const { here, file } = openShop()
    const rules = file(
      'r.toml',
      [
        '[[tools.rules]]\ntool = "list_files"\ntype = "StartConstraint"',
        '[[tools.rules]]\ntool = "read_file"\ntype = "MaxCalls"\nmax = 2',
        '[[tools.rules]]\ntool = "glob"\ntype = "RequiresPrecedingTools"\ntools = ["read_file"]',
      ].join('\n'),
    )
    const calls = [
      read('a.txt'),
      { name: 'glob', args: { patterns: ['*'] } },
      read('a.txt'),
      read('a.txt'),
      read('a.txt'),
      read('missing'),
      { name: 'glob', args: { patterns: ['*'] } },
      { name: 'glob', args: {} },
      { name: 'nope', args: {} },
      writes('w'),
    ].map((call, index) => ({ ...call, id: `c${index}` }))
    await here.batch(calls, '--config', rules, '--yes')
    await here.batch([writes('v'), { id: 'l', name: 'list_files', args: {} }], '--config', rules)
    const found = await replayed(here, '--config', rules)
    expect(found.differences).toEqual([])
    expect(found.judged).toBe(13)
    expect(found.not_judged).toEqual([])
  })

  it('names the calls that another configuration would judge differently, and which gate', async () => {
    const { here } = openShop()
    await here.tongs(['call', 'read_file', '{"path":"a.txt"}'])
    await here.tongs(['call', 'write_file', '{"path":"w","content":""}', '--yes', '--session', 'other'])
    const plan = await replayed(here, '--preset', 'plan')
    expect(plan.differences).toMatchObject([
      { session: 'other', name: 'write_file', was: 'ask', now: 'denied', gate: 'allowed effects' },
    ])
    const auto = await replayed(here, '--set', 'tools.approval.mode=auto')
    expect(auto.differences).toMatchObject([{ name: 'write_file', was: 'ask', now: 'allowed' }])
    const one = await replayed(here, '--session', 'cli', '--set', 'tools.approval.denylist=["read_file"]')
    expect(one).toMatchObject({
      judged: 1,
      differences: [{ name: 'read_file', now: 'denied', gate: 'denylist' }],
    })
  })

  it('judges rules at the time of each call', async () => {
    const { here } = openShop()
    const calls = ['1', '2', '3'].map((id) => ({ id, ...read('a.txt') }))
    await here.batch(calls)
    await here.batch(calls)
    const found = await replayed(here, '--set', 'tools.rules=[{tool="read_file",type="MaxCalls",max=2}]')
    expect(found.judged).toBe(6)
    expect(found.differences.map(({ now, gate }) => [now, gate])).toEqual([
      ['denied', 'rules'],
      ['denied', 'rules'],
    ])
  })

  it('names what is erased as not judged, and writes nothing', async () => {
    const { here } = openShop()
    const { out } = await here.tongs(['call', 'read_file', '{"path":"a.txt"}', '--json'])
    const { execution } = JSON.parse(out) as { execution: { id: string } }
    await here.tongs(['forget', execution.id])
    const before = (await here.tongs(['log', '--json'])).out
    const found = await replayed(here)
    expect(found).toMatchObject({
      judged: 0,
      not_judged: [{ execution: execution.id, why: 'its arguments were erased' }],
    })
    expect((await here.tongs(['log', '--json'])).out).toBe(before)
  })
})
