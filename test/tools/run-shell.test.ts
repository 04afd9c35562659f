import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../src/core/approval.ts'
import type { RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
const enabled: Partial<RuntimeOptions> = { ...agreed, config: { 'tools.run_command.enabled': true } }

describe('run_shell', () => {
  it('F-TOOL-run_shell: it runs a program with its folder, variables and input, and any exit is a result', async () => {
    const b = bench({ 'sub/x.txt': 'x\n' })
    const args = {
      cmd: ['sh', '-c', 'cat; echo "$WORD"; ls; echo oops >&2; exit 3'],
      cwd: 'sub',
      env: { WORD: 'hello' },
      stdin: 'given\n',
    }
    expect(outputOf(await b.call('run_shell', args, agreed))).toMatchObject({
      exit_code: 3,
      stdout: 'given\nhello\nx.txt\n',
      stderr: 'oops\n',
      sandbox: 'sandboxed by bubblewrap',
    })
  })

  it.each([
    [['no-such-program', '-x'], 'The program "no-such-program" was not found on the PATH of commands.'],
    [['./missing'], 'The program "./missing" does not exist, or cannot be executed.'],
    [['cd', 'src'], 'The program "cd" was not found on the PATH of commands.'],
  ])('a program that is not there is named, not an exit code of a shell: %j', async (cmd, message) => {
    const error = errorOf(await bench().call('run_shell', { cmd }, agreed))
    expect(error).toMatchObject({ code: 'execution_failed', message, details: { effects: 'none' } })
  })

  it('an exit code of 127 is a result like any other', async () => {
    const cmd = ['sh', '-c', 'exit 127']
    expect(outputOf(await bench().call('run_shell', { cmd }, agreed))).toMatchObject({ exit_code: 127 })
  })

  it('asked before, it always needs an answer, whatever the approval mode', async () => {
    const b = benchAskingBefore()
    expect(
      errorOf(await b.call('run_shell', { cmd: ['true'] }, { config: { 'tools.approval.mode': 'auto' } }))
        .code,
    ).toBe('approval_denied')
  })

  it('a question is as red as what the sandbox lets through', async () => {
    const b = benchAskingBefore({ 'a.txt': 'a\n' })
    const asked: ApprovalRequest[] = []
    const approve: RuntimeOptions['approve'] = (requests) => {
      asked.push(...requests)
      return requests.map(() => 'deny' as const)
    }
    const runtime = await b.open({ approve, config: { 'tools.run_command.enabled': true } })
    const shell = (...cmd: readonly string[]) => ({ id: cmd.join(' '), name: 'run_shell', args: { cmd } })
    await runtime.run([
      shell('echo', 'hi'),
      shell('make'),
      shell('kill', '1'),
      shell('rm', '-r', 'src'),
      { id: 'line', name: 'run_command', args: { command: 'git status && ls' } },
      { id: 'network', name: 'run_shell', args: { cmd: ['ls'], network: true } },
      { id: 'tests', name: 'run_tests', args: { command: ['make', 'test'] } },
      { id: 'delete', name: 'delete_path', args: { path: 'a.txt' } },
    ])
    expect(asked.map(({ call, risk, danger }) => [call.id, risk, danger])).toEqual([
      ['echo hi', 'Low', null],
      ['make', 'Medium', null],
      ['kill 1', 'Medium', null],
      ['rm -r src', 'High', 'removes whole trees of files'],
      ['line', 'Low', null],
      ['network', 'High', null],
      ['tests', 'Medium', null],
      ['delete', 'Medium', null],
    ])
  })

  it.each(['PATH', 'LD_PRELOAD', 'NODE_OPTIONS', 'BASH_ENV', 'GIT_SSH_COMMAND'])(
    'a question about a command that is given %s says so, and offers no grant for its words',
    async (name) => {
      const b = benchAskingBefore()
      const asked: ApprovalRequest[] = []
      const approve: RuntimeOptions['approve'] = (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny' as const)
      }
      await b.call('run_shell', { cmd: ['npm', 'test'], env: { [name]: './evil' } }, { approve })
      expect(asked).toMatchObject([
        { risk: 'High', danger: 'sets a variable that changes what actually runs' },
      ])
      expect(asked[0]?.scopes.map(({ scope }) => scope.kind)).not.toContain('command')
      expect(asked[0]?.scopes.map(({ scope }) => scope.kind)).toContain('arguments')
    },
  )

  it('F-SAFE-REDACT: what a command prints loses its secrets, on either stream and while it runs', async () => {
    const b = bench()
    const chunks: string[] = []
    const runtime = await b.open(agreed)
    const line = 'echo PASSWORD=hunter2222; echo API_KEY=abcdef123456 >&2'
    const [result] = await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', line] } }], {
      onEvent: (event) => void (event.event === 'output' && chunks.push(`${event.stream}:${event.chunk}`)),
    })
    expect(outputOf(result)).toMatchObject({
      stdout: 'PASSWORD=[redacted]\n',
      stderr: 'API_KEY=[redacted]\n',
    })
    expect(chunks.toSorted()).toEqual(['stderr:API_KEY=[redacted]\n', 'stdout:PASSWORD=[redacted]\n'])
  })

  it.each([
    ['and what it changed is dropped', 'auto', 'ROLLED_BACK', 'discarded'],
    ['and without a layer what it changed stays', 'off', 'ABORTED', 'kept'],
  ])(
    'F-TEST-shell-timeout: a command that takes too long is stopped with everything it started, %s',
    async (_end, layer, state, effects) => {
      const b = bench({}, { 'tools.shell.layer': layer })
      const error = errorOf(
        await b.call(
          'run_shell',
          { cmd: ['sh', '-c', 'echo begun | tee made; (setsid sleep 300 &) ; sleep 300'], timeout: 1 },
          agreed,
        ),
      )
      expect(error).toMatchObject({
        code: 'timeout',
        kind: 'Timeout',
        type: 'process-error',
        state,
        details: { effects, stdout: 'begun\n' },
      })
      expect(existsSync(join(b.root, 'made'))).toBe(effects === 'kept')
    },
  )

  it('F-PROTO-CALL: the folder in the meta of a call is where it runs, unless its arguments name one', async () => {
    const b = bench({ 'sub/x.txt': 'x\n', 'other/y.txt': 'y\n' })
    const runtime = await b.open({ ...agreed, config: { 'tools.run_command.enabled': true } })
    const meta = { cwd: 'sub' }
    const results = await runtime.run([
      { id: '1', name: 'run_shell', args: { cmd: ['ls'] }, meta },
      { id: '2', name: 'run_shell', args: { cmd: ['ls'], cwd: 'other' }, meta },
      { id: '3', name: 'run_command', args: { command: 'ls' }, meta },
    ])
    expect(results.map((result) => (result.ok ? result.result : result.error))).toMatchObject([
      { stdout: 'x.txt\n' },
      { stdout: 'y.txt\n' },
      { stdout: 'x.txt\n' },
    ])
  })

  it('without a layer, a command that is stopped for what it made says so', async () => {
    const b = bench({}, { 'tools.shell.layer': 'off' })
    const args = { cmd: ['sh', '-c', 'mkdir .git; echo x > .git/HEAD; sleep 5'] }
    const output = outputOf(await b.call('run_shell', args, agreed))
    expect(output['wanted']).toMatch(/may not create \.git.*was moved to .*\.git\.refused\./)
  })

  it('F-SBX-CWD: a folder that is none is a fault of the arguments, and nothing has begun', async () => {
    const b = bench({ 'a.txt': 'a\n' })
    for (const [cwd, says] of [
      ['gone', 'gone does not exist'],
      ['a.txt', 'a.txt is not a folder'],
    ] as const) {
      const error = errorOf(await b.call('run_shell', { cmd: ['true'], cwd }, agreed))
      expect(error).toMatchObject({ code: 'bad_args', type: 'validation-error', state: 'ROLLED_BACK' })
      expect(error.message).toContain(says)
    }
  })

  it('F-SBX-CWD: a folder outside the root is refused before anybody is asked', async () => {
    let questions = 0
    const b = bench()
    const approve = (requests: readonly unknown[]) => {
      questions += requests.length
      return requests.map(() => 'once' as const)
    }
    for (const cwd of ['..', '/etc', '../root-evil']) {
      expect(errorOf(await b.call('run_shell', { cmd: ['true'], cwd }, { approve })).code).toBe(
        'path_outside_sandbox',
      )
    }
    expect(questions).toBe(0)
  })

  it('denied files are masked, and the variables of this process that hold secrets are not there', async () => {
    process.env['BENCH_API_KEY'] = 'super-secret-value'
    try {
      const b = bench({ '.env': 'TOKEN=1\n', 'k.pem': 'key\n', 'ok.txt': 'fine\n' })
      const { stdout } = outputOf(
        await b.call('run_shell', { cmd: ['sh', '-c', 'cat .env k.pem ok.txt 2>/dev/null; env'] }, agreed),
      ) as { stdout: string }
      expect(stdout).toContain('fine')
      expect(stdout).not.toMatch(/TOKEN=1|key\n|super-secret-value/)
    } finally {
      delete process.env['BENCH_API_KEY']
    }
  })

  it('a dry run starts nothing that would be asked about first', async () => {
    const b = benchAskingBefore()
    const result = await b.call('run_shell', { cmd: ['touch', 'x'] }, agreed, { dryRun: true })
    expect(outputOf(result)).toEqual({ dry_run: true, would_run: ['touch', 'x'] })
  })

  it('its start is on record before it runs, so that a crash leaves it in doubt', async () => {
    const b = bench()
    const runtime = await b.open(agreed)
    await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['true'] } }])
    const kinds = [...runtime.log()].map(({ entry }) => entry.kind)
    expect(kinds.indexOf('started')).toBeGreaterThan(-1)
    expect(kinds.indexOf('started')).toBeLessThan(kinds.indexOf('settled'))
  })
})

describe('run_command', () => {
  it('NFR-SEC-06: it is off until somebody switches it on, and a denylist of one’s own does not switch it on', async () => {
    const b = bench()
    for (const config of [{}, { 'tools.approval.denylist': ['write_file'] }]) {
      expect(errorOf(await b.call('run_command', { command: 'echo hi' }, { ...agreed, config })).code).toBe(
        'denylisted',
      )
    }
    outputOf(await b.call('run_command', { command: 'echo hi' }, enabled))
  })

  it('FR-TOOL-CMD-01: output comes while it runs, stderr follows stdout, and a failure names the exit code', async () => {
    const b = bench()
    const chunks: string[] = []
    const result = await b.call('run_command', { command: 'echo out; echo err >&2' }, enabled, {
      onEvent: (event) => {
        if (event.event === 'output') chunks.push(`${event.stream}:${event.chunk}`)
      },
    })
    expect(result.content).toBe('out\n\n\n[stderr]\nerr\n')
    expect(chunks.toSorted()).toEqual(['stderr:err\n', 'stdout:out\n'])
    for (const [layer, state, effects] of [
      ['auto', 'ROLLED_BACK', 'discarded'],
      ['off', 'ABORTED', 'kept'],
    ] as const) {
      const options = { ...enabled, config: { ...enabled.config, 'tools.shell.layer': layer } }
      const failed = errorOf(await b.call('run_command', { command: 'echo no >&2; exit 7' }, options))
      expect(failed).toMatchObject({
        code: 'execution_failed',
        state,
        type: 'process-error',
        details: { exit_code: 7, stderr: 'no\n', effects },
      })
      expect(failed.content).toMatch(/^run_command failed: exit code 7/)
    }
  })

  it('IT-CMD-01: the final result is on record, the pieces are not', async () => {
    const b = bench()
    const runtime = await b.open(enabled)
    await runtime.run([{ id: '1', name: 'run_command', args: { command: 'echo hi' } }])
    const entries = [...runtime.log()].map(({ entry }) => entry)
    expect(entries.map(({ kind }) => kind)).toEqual([
      'batch',
      'asked',
      'answered',
      'continued',
      'started',
      'settled',
    ])
  })
})
