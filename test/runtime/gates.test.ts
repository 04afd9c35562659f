import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'
import { bench, errorOf } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'
import { makeShop } from '../faces/cli/command-line.ts'
import { agreeing, asked, batchOf, outcomes, reader, waysOf } from '../pipeline/sample-tools.ts'
import { PATIENCE_MS } from '../harness/patience.ts'

/** A gate whose program is these lines of shell; it keeps what it was told. */
function shellGate(b: Bench, script: string, more: Readonly<Record<string, unknown>> = {}) {
  const folder = join(b.top, 'gates')
  mkdirSync(folder, { recursive: true })
  const told = join(folder, 'told.jsonl')
  const program = join(folder, 'gate.sh')
  writeFileSync(program, `#!/bin/sh\ncat >> '${told}'\necho >> '${told}'\n${script}\n`)
  chmodSync(program, 0o755)
  const heard = (): readonly Record<string, unknown>[] =>
    existsSync(told)
      ? readFileSync(told, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : []
  return { config: { 'tools.gates': [{ name: 'mine', command: [program], ...more }] }, heard, folder }
}

const WRITE = ['write_file', { path: 'n.txt', content: 'x' }] as const

describe('a gate of your own', () => {
  it('is told the call on stdin and may leave it to the others', async () => {
    const b = bench({ 'a.txt': 'one' })
    const { config, heard } = shellGate(b, 'echo abstain')
    const runtime = await b.open({ config })
    const [row] = await runtime.run(batchOf(['read_file', { path: 'a.txt' }]), { session: 's' })
    expect(row?.ok).toBe(true)
    expect(heard()).toEqual([
      {
        tool: 'read_file',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        arguments: { path: 'a.txt' },
        effect: 'read',
        risk: 'Low',
        claims: [{ path: 'a.txt', intent: 'read', resolved: join(runtime.root, 'a.txt'), folder: false }],
        summary: expect.any(String),
        session: 's',
        origin: 'person',
        root: runtime.root,
        dry_run: false,
      },
    ])
    expect(runtime.why(row?.execution.id ?? '')[0]?.gates).toContainEqual({
      gate: 'external gates',
      fact: 'mine: abstain',
      verdict: 'pass',
    })
  })

  it('says no: the call is denied before anybody is asked, and why repeats what it said', async () => {
    const b = bench()
    const { config } = shellGate(b, `echo '{"verdict":"deny","say":"not on Fridays"}'`)
    const approve = agreeing()
    const runtime = await b.open({ config, approve })
    const [row] = await runtime.run(batchOf(WRITE))
    expect(errorOf(row)).toMatchObject({
      code: 'not_allowed',
      state: 'DENIED',
      class: 'AuthorizationError',
      message: 'The gate mine denied the call: not on Fridays.',
      details: { gate: 'mine', say: 'not on Fridays' },
    })
    expect(approve.questions).toEqual([])
    expect(waysOf(runtime).get('c1')).toEqual(['DECLARED', 'VALIDATED', 'DENIED'])
    expect(runtime.why(row?.execution.id ?? '')[0]).toMatchObject({
      gate: 'external gates',
      verdict: 'denied',
    })
  })

  it('asks: a person decides, also about a call that otherwise would just run', async () => {
    const b = bench({ 'a.txt': 'one' })
    const { config } = shellGate(b, `echo '{"verdict":"ask","say":"a look, please"}'`)
    const call = batchOf(['read_file', { path: 'a.txt' }])
    const yes = agreeing()
    expect(outcomes(await (await b.open({ config, approve: yes })).run(call))).toEqual(['ok'])
    expect(yes.questions[0]?.[0]).toMatchObject({
      why: expect.stringContaining('mine: ask (a look, please)'),
    })
    const no = asked((requests) => requests.map(() => 'deny' as const))
    expect(outcomes(await (await b.open({ config, approve: no })).run(call))).toEqual(['approval_denied'])
    expect(outcomes(await (await b.open({ config })).run(call))).toEqual(['approval_denied'])
    const auto = { ...config, 'tools.approval.mode': 'auto', 'tools.approval.allowlist': ['read_file'] }
    expect(outcomes(await (await b.open({ config: auto })).run(call))).toEqual(['approval_denied'])
  })

  it('asks anew whatever is granted, and its question offers nothing that would not hold', async () => {
    const b = bench()
    const { config, folder } = shellGate(b, 'cat "$(dirname "$0")/word"')
    writeFileSync(join(folder, 'word'), 'abstain')
    const granting = asked((requests) =>
      requests.map(() => ({ answer: 'scope', scope: { kind: 'tool' } }) as const),
    )
    const runtime = await b.open({ config, approve: granting })
    await runtime.run(batchOf(WRITE))
    await runtime.run(batchOf(['write_file', { path: 'm.txt', content: 'x' }]))
    expect(granting.questions.map(([one]) => one?.scopes.length)).toEqual([expect.any(Number)])
    expect(granting.questions[0]?.[0]?.scopes).not.toEqual([])
    writeFileSync(join(folder, 'word'), 'ask')
    await runtime.run(batchOf(['write_file', { path: 'o.txt', content: 'x' }]))
    expect(granting.questions[1]?.[0]).toMatchObject({
      scopes: [],
      why: expect.stringContaining('mine: ask'),
    })
  })

  it('asks about this once: an answer that would hold for longer is none, and nothing of it is remembered', async () => {
    const b = bench()
    const { config } = shellGate(b, 'echo ask')
    for (const answer of [
      { answer: 'scope', scope: { kind: 'tool' } },
      { answer: 'scope', scope: { kind: 'path', glob: '**' } },
      { answer: 'duration', seconds: 600 },
    ] as const) {
      const runtime = await b.open({ config, approve: asked((requests) => requests.map(() => answer)) })
      expect(outcomes(await runtime.run(batchOf(WRITE)))).toEqual(['approval_denied'])
      expect((await runtime.grants()).grants).toEqual([])
      await runtime.close()
    }
    const runtime = await b.open({ config, approve: 'later' })
    await runtime.run(batchOf(WRITE))
    const [question] = await runtime.pending()
    const longer = await runtime.decide([question?.id ?? ''], { isApproved: true, scope: { kind: 'tool' } })
    expect(longer.faults).toMatchObject([
      { why: expect.stringContaining('it can only be allowed this once') },
    ])
    expect((await runtime.grants()).grants).toEqual([])
    const once = await runtime.decide([question?.id ?? ''], { isApproved: true })
    expect(outcomes(once.results)).toEqual(['ok'])
  })

  it.for([
    ['exit 3', 'exit', 'exit code 3'],
    ['echo abstain; exit 1', 'exit', 'exit code 1'],
    ['echo allow', 'unreadable', 'allow'],
    ['echo "{"', 'unreadable', '{'],
    [':', 'unreadable', 'nothing'],
    ['kill -9 $$', 'exit', 'SIGKILL'],
    ['head -c 200000 /dev/zero | tr "\\0" a', 'unreadable', 'not one of'],
  ] as const)('that does "%s" has said no', async ([script, reason, words]) => {
    const b = bench()
    const { config } = shellGate(b, script)
    const error = errorOf(await b.call(...WRITE, { config, approve: agreeing() }))
    expect(error).toMatchObject({ code: 'not_allowed', state: 'DENIED', details: { gate: 'mine', reason } })
    expect(error.message).toContain('The gate mine')
    expect(error.message).toContain(words)
    expect(existsSync(join(b.root, 'n.txt'))).toBe(false)
  })

  it('that does not exist has said no', async () => {
    const b = bench()
    const config = { 'tools.gates': [{ name: 'gone', command: ['/nowhere/gate'] }] }
    const error = errorOf(await b.call('read_file', { path: 'a.txt' }, { config }))
    expect(error).toMatchObject({ code: 'not_allowed', details: { gate: 'gone' } })
  })

  it('that takes too long has said no, and nothing of it is left running', async () => {
    const b = bench()
    const mark = `29${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`
    const { config } = shellGate(b, `sleep ${mark} & sleep ${mark}`, { timeout_seconds: 0.3 })
    const error = errorOf(await b.call(...WRITE, { config, approve: agreeing() }))
    expect(error).toMatchObject({ code: 'not_allowed', details: { gate: 'mine', reason: 'timeout' } })
    expect(error.message).toContain('did not answer within 0.3 s')
    expect(findProcesses(mark)).toEqual([])
  })

  it('runs outside the workspace, without secrets in its environment', async () => {
    const b = bench()
    process.env['TONGS_TEST_TOKEN'] = 'geheim'
    const { config, folder } = shellGate(
      b,
      'pwd > "$(dirname "$0")/out"; env >> "$(dirname "$0")/out"; echo abstain',
    )
    await b.call('list_files', {}, { config })
    delete process.env['TONGS_TEST_TOKEN']
    const out = readFileSync(join(folder, 'out'), 'utf8')
    expect(out.split('\n')[0]).toBe('/')
    expect(out).not.toContain('geheim')
    expect(out).toContain('PATH=')
  })

  it('is never a program of the workspace that has its name, however PATH leads there', async () => {
    const b = bench({ 'bin/sh': '#!/bin/sh\ntouch "$0.ran"\necho abstain\n', 'a.txt': 'a\n' })
    chmodSync(join(b.root, 'bin/sh'), 0o755)
    symlinkSync(join(b.root, 'bin'), join(b.top, 'way'))
    vi.stubEnv('PATH', [join(b.root, 'bin'), join(b.top, 'way'), process.env['PATH']].join(':'))
    const config = { 'tools.gates': [{ name: 'g', command: ['sh', '-c', 'echo abstain'] }] }
    expect((await b.call('read_file', { path: 'a.txt' }, { config })).ok).toBe(true)
    expect(readdirSync(join(b.root, 'bin'))).toEqual(['sh'])
    expect(readdirSync(join(b.top, 'way'))).toEqual(['sh'])
    vi.unstubAllEnvs()
  })

  it('looks only at the tools it is for, and not at calls that are refused anyway', async () => {
    const b = bench({ 'a.txt': '' })
    const { config, heard } = shellGate(b, 'echo deny', { tools: ['write_*', 'run_*'] })
    const runtime = await b.open({ config, approve: agreeing() })
    const rows = await runtime.run(
      batchOf(
        ['read_file', { path: 'a.txt' }],
        ['write_file', { path: '../out.txt', content: '' }],
        ['write_file', { path: 7 }],
        ['run_command', { command: 'true' }],
        ['nope'],
        WRITE,
      ),
    )
    expect(outcomes(rows)).toEqual([
      'ok',
      'path_outside_sandbox',
      'bad_args',
      'denylisted',
      'unknown_tool',
      'not_allowed',
    ])
    expect(heard().map(({ arguments: args }) => args)).toEqual([WRITE[1]])
  })

  it('is asked once about a call that stays as it was, and again when it leads elsewhere by then', async () => {
    const b = bench({ 'one/a.txt': 'x', 'two/a.txt': 'y' })
    symlinkSync('one', join(b.root, 'link'))
    const { config, heard } = shellGate(
      b,
      `if tail -n 1 '${join(b.top, 'gates', 'told.jsonl')}' | grep -q /two/; then echo deny; else echo ask; fi`,
    )
    const still = await b.open({ config, approve: agreeing() })
    expect(outcomes(await still.run(batchOf(['read_file', { path: 'link/a.txt' }])))).toEqual(['ok'])
    expect(heard()).toHaveLength(1)
    const moving = asked((requests) => {
      const { rmSync } = process.getBuiltinModule('node:fs')
      rmSync(join(b.root, 'link'))
      symlinkSync('two', join(b.root, 'link'))
      return requests.map(() => 'once' as const)
    })
    const moved = await b.open({ config, approve: moving })
    expect(outcomes(await moved.run(batchOf(['read_file', { path: 'link/a.txt' }])))).toEqual(['not_allowed'])
    expect(heard()).toHaveLength(3)
  })

  it('is not asked again about a call of a waiting batch that has its result', async () => {
    const b = bench()
    const { config, heard } = shellGate(
      b,
      `if tail -n 1 '${join(b.top, 'gates', 'told.jsonl')}' | grep -q bad.txt; then echo deny; else echo abstain; fi`,
    )
    const runtime = await b.open({ config, approve: 'later' })
    const calls = batchOf(WRITE, ['write_file', { path: 'bad.txt', content: 'x' }])
    expect(outcomes(await runtime.run(calls))).toEqual(['approval_required', 'not_allowed'])
    const before = heard().length
    const { results } = await runtime.decide('all', { isApproved: true })
    expect(outcomes(results)).toEqual(['ok', 'not_allowed'])
    expect(
      heard()
        .slice(before)
        .map(({ arguments: args }) => args),
    ).toEqual([WRITE[1]])
  })

  it('several are asked in order, up to the first no', async () => {
    const b = bench()
    const first = shellGate(b, 'echo abstain').config['tools.gates'][0]
    const no = { name: 'no', command: ['sh', '-c', 'echo deny'] }
    const after = {
      name: 'after',
      command: ['sh', '-c', `touch '${join(b.top, 'was-asked')}'; echo abstain`],
    }
    const runtime = await b.open({ config: { 'tools.gates': [first, no, after] }, approve: agreeing() })
    const [row] = await runtime.run(batchOf(WRITE))
    expect(errorOf(row).details['gate']).toBe('no')
    expect(existsSync(join(b.top, 'was-asked'))).toBe(false)
  })

  it('a person who cancels while a gate thinks has cancelled the call', async () => {
    const b = bench()
    const { config, folder } = shellGate(b, 'sleep 2000; echo abstain')
    const runtime = await b.open({ config, approve: agreeing() })
    const stop = new AbortController()
    const running = runtime.run(batchOf(WRITE), { signal: stop.signal })
    await vi.waitUntil(() => existsSync(join(folder, 'told.jsonl')), { timeout: PATIENCE_MS })
    stop.abort()
    expect(outcomes(await running)).toEqual(['cancelled'])
  })

  it('a batch that waited is asked about again when it goes on', async () => {
    const b = bench()
    const { config, heard, folder } = shellGate(b, 'cat "$(dirname "$0")/word"')
    writeFileSync(join(folder, 'word'), 'ask')
    const later = await b.open({ config, approve: 'later', durability: 'normal' })
    expect(outcomes(await later.run(batchOf(WRITE)))).toEqual(['approval_required'])
    await later.close()
    writeFileSync(join(folder, 'word'), 'deny')
    const next = await b.open({ config, durability: 'normal' })
    const [question] = await next.pending()
    const { results } = await next.decide([question?.id ?? ''], { isApproved: true })
    expect(outcomes(results)).toEqual(['not_allowed'])
    expect(heard().length).toBeGreaterThan(1)
    expect(existsSync(join(b.root, 'n.txt'))).toBe(false)
  })

  it('policy check asks it, and policy replay takes its word from the record without starting it', async () => {
    const b = bench()
    const { config, heard, folder } = shellGate(b, 'cat "$(dirname "$0")/word"')
    writeFileSync(join(folder, 'word'), 'deny')
    const runtime = await b.open({ config, approve: agreeing() })
    const [checked] = await runtime.policy.check(batchOf(WRITE))
    expect(checked).toMatchObject({ verdict: 'denied', gate: 'external gates' })
    await runtime.run(batchOf(WRITE))
    writeFileSync(join(folder, 'word'), 'ask')
    await runtime.run(batchOf(WRITE))
    const count = heard().length
    expect((await runtime.policy.replay()).differences).toEqual([])
    expect(heard()).toHaveLength(count)
  })

  it('policy replay is not fooled by the words of a gate', async () => {
    const b = bench({ 'a.txt': '' })
    const { config } = shellGate(b, `echo '{"verdict":"ask","say":"well; second: deny"}'`)
    const second = shellGate(b, `echo '{"verdict":"ask","say":"well; second: deny"}'`, { name: 'second' })
    const both = { 'tools.gates': [...config['tools.gates'], ...second.config['tools.gates']] }
    const runtime = await b.open({ config: both, approve: agreeing() })
    const [row] = await runtime.run(batchOf(['read_file', { path: 'a.txt' }]))
    expect(row?.ok).toBe(true)
    expect((await runtime.policy.replay()).differences).toEqual([])
  })

  it('costs calls nothing that it does not look at', async () => {
    const b = bench()
    let looks = 0
    const tool = reader('look', () => ({ said: '' }), {
      claims: () => {
        looks += 1
        return []
      },
    })
    await (await b.open({ tools: [tool] })).run(batchOf(['look']))
    const without = looks
    const { config, heard } = shellGate(b, 'echo abstain', { tools: ['write_*'] })
    await (await b.open({ tools: [tool], config })).run(batchOf(['look']))
    expect([looks - without, heard()]).toEqual([without, []])
  })

  it('without any, no process is started', async () => {
    const b = bench({ 'a.txt': '' })
    const runtime = await b.open()
    const [row] = await runtime.run(batchOf(['read_file', { path: 'a.txt' }]))
    expect(runtime.why(row?.execution.id ?? '')[0]?.gates).toContainEqual({
      gate: 'external gates',
      fact: 'no gates are configured',
      verdict: 'pass',
    })
  })
})

function findProcesses(mark: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
}

describe('from the outside', () => {
  const EXAMPLE = join(TOP, 'examples/protect-paths.mjs')

  it('the example protects paths: it denies, asks and stays out of the rest', async () => {
    const shop = makeShop({ 'src/a.ts': 'a\n' })
    const command = [process.execPath, EXAMPLE, '--deny', 'migrations', '--ask', 'package.json']
    const config = join(shop.stateDir, '..', 'config.toml')
    writeFileSync(config, `[[tools.gates]]\nname = "protect"\ncommand = ${JSON.stringify(command)}\n`)
    const write = async (path: string, ...words: readonly string[]) => {
      const args = JSON.stringify({ path, content: '{}' })
      return shop.tongs(['call', 'write_file', args, '--json', '--config', config, ...words])
    }
    const denied = await write('migrations/1.sql', '--yes')
    expect(denied.code).toBe(3)
    expect(errorOf(denied.rows[0])).toMatchObject({
      code: 'not_allowed',
      message: 'The gate protect denied the call: migrations/1.sql is protected.',
    })
    expect((await write('package.json', '--set', 'tools.approval.mode=auto', '--no-input')).code).toBe(4)
    expect((await write('src/b.ts', '--set', 'tools.approval.mode=auto', '--no-input')).code).toBe(0)
    expect(shop.get('migrations/1.sql')).toBeNull()
    shop.remove()
  })

  it('the example protects what is in a folder that is deleted, moved or filled', async () => {
    const shop = makeShop({
      'lib/vendor/x.js': 'x',
      'lib/y.js': 'y',
      'new/vendor/z.js': 'z',
      'src/a.ts': 'a',
    })
    const command = [process.execPath, EXAMPLE, '--deny', 'lib/vendor', '--deny', 'gone/vendor']
    const config = join(shop.stateDir, '..', 'config.toml')
    writeFileSync(config, `[[tools.gates]]\nname = "protect"\ncommand = ${JSON.stringify(command)}\n`)
    const call = async (name: string, args: object) =>
      (await shop.tongs(['call', name, JSON.stringify(args), '--json', '--config', config, '--yes'])).code
    expect(await call('delete_path', { path: 'lib' })).toBe(3)
    expect(await call('move_path', { from: 'lib', to: 'lib2' })).toBe(3)
    expect(await call('move_path', { from: 'new', to: 'gone' })).toBe(3)
    expect(shop.get('lib/vendor/x.js')).toBe('x')
    expect(await call('move_path', { from: 'lib/y.js', to: 'lib/z.js' })).toBe(0)
    expect(await call('delete_path', { path: 'src' })).toBe(0)
    shop.remove()
  })

  it('a project does not choose the environment of your gates', async () => {
    const shop = makeShop({ '.tongs.toml': 'tools.environment.denylist = ["HOME", "PATH"]\n' })
    const config = join(shop.stateDir, '..', 'config.toml')
    const command = ['/bin/sh', '-c', 'test -n "$HOME" && test -z "$LANG" && echo deny || echo abstain']
    writeFileSync(
      config,
      `tools.environment.denylist = ["LANG"]\n[[tools.gates]]\nname = "mine"\ncommand = ${JSON.stringify(command)}\n`,
    )
    for (const before of [[], ['trust', '--yes']]) {
      if (before.length > 0) await shop.tongs(before)
      const words = [
        'call',
        'write_file',
        '{"path":"a","content":"x"}',
        '--config',
        config,
        '--yes',
        '--json',
      ]
      const { rows } = await shop.tongs(words, { env: { LANG: 'C' } })
      expect(errorOf(rows[0]).message).toContain('The gate mine denied the call')
    }
    shop.remove()
  })

  it('a project cannot bring a gate, trusted or not, and its program is not run', async () => {
    const shop = makeShop({ 'a.txt': 'one' })
    const mark = join(shop.stateDir, '..', 'ran')
    shop.put(
      '.tongs.toml',
      `[[tools.gates]]\nname = "x"\ncommand = ["sh", "-c", "touch '${mark}'; echo abstain"]\n`,
    )
    for (const before of [[], ['trust', '--yes']]) {
      if (before.length > 0) await shop.tongs(before)
      const { code, err } = await shop.tongs(['call', 'read_file', '{"path":"a.txt"}'])
      expect(code).toBe(0)
      expect(err).toContain('tools.gates')
      expect(existsSync(mark)).toBe(false)
    }
    shop.remove()
  })
})
