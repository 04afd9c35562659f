import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { describeExtraAccess } from '../../../src/core/extra-access.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, benchAskingBefore, errorOf, outputOf } from '../../bench-folder.ts'
import { git, makeRepository } from '../../host/confine/git-attacks.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { shellWord } from '../../harness/shell-word.ts'

/** Somebody who says yes to everything, and what was asked. */
function yes(config: Record<string, unknown> = {}, preset: RuntimeOptions['preset'] = 'ask') {
  const asked: ApprovalRequest[] = []
  const options: Partial<RuntimeOptions> = {
    config,
    preset,
    approve: (requests) => {
      asked.push(...requests)
      return requests.map(() => 'once' as const)
    },
  }
  return { asked, options }
}

async function listen(): Promise<{ readonly port: number; readonly visitors: () => number }> {
  let visitors = 0
  const server = createServer((socket) => {
    visitors += 1
    socket.destroy()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, visitors: () => visitors }
}

const connect = (port: number) => ({ cmd: ['bash', '-c', `echo hi >/dev/tcp/127.0.0.1/${port}`] })

describe('a command that the sandbox stopped', () => {
  it('F-SAFE-NET: says that it wanted network and how a new call asks for it, and has it once a person agreed', async () => {
    const { port, visitors } = await listen()
    const { asked, options } = yes()
    const b = bench()
    const first = outputOf(
      await b.call('run_shell', { cmd: ['curl', '-sS', 'http://tongs.invalid/'] }, options),
    )
    expect(first).toMatchObject({
      grant: { network: true },
      wanted: expect.stringContaining('network') as string,
    })
    outputOf(await b.call('run_shell', connect(port), options))
    expect(visitors()).toBe(0)
    const granted = outputOf(await b.call('run_shell', { ...connect(port), network: true }, options))
    expect(granted).toMatchObject({ exit_code: 0, sandbox: 'sandboxed by bubblewrap, with network' })
    expect(visitors()).toBe(1)
    expect(asked.at(-1)).toMatchObject({
      risk: 'High',
      summary: expect.stringMatching(/^Run with NETWORK: bash/) as string,
      rung: expect.stringContaining('WANTS NETWORK') as string,
    })
  })

  it('has a path read or written that it lay outside of, and nothing beside it', async () => {
    const outside = makeScratch()
    outside.file('shown/a.txt', 'aaa')
    outside.file('shown/key.pem', 'never')
    outside.file('other.txt', 'other')
    outside.folder('cache')
    const { asked, options } = yes()
    const b = bench()
    const line = `cat ${shellWord(outside.at('shown/a.txt'))}; cat ${shellWord(outside.at('shown/key.pem'))}; cat ${shellWord(outside.at('other.txt'))}; echo x >${shellWord(outside.at('shown/b'))}; echo y >${shellWord(outside.at('cache/c'))}`
    const stopped = outputOf(await b.call('run_shell', { cmd: ['cat', outside.at('other.txt')] }, options))
    expect(stopped).toMatchObject({ grant: { read: [outside.at('other.txt')] } })
    const args = { cmd: ['sh', '-c', line], read: [outside.at('shown')], write: [outside.at('cache')] }
    expect(outputOf(await b.call('run_shell', args, options))).toMatchObject({ stdout: 'aaa' })
    expect(existsSync(outside.at('shown/b'))).toBe(false)
    expect(readFileSync(outside.at('cache/c'), 'utf8')).toBe('y\n')
    // A long summary is shortened in its middle; what extra access is wanted is said apart from it.
    expect(asked.at(-1)?.summary).toMatch(/^Run with permission to READ \//)
    expect(asked.at(-1)?.rung).toContain(
      'WANTS permission to READ further paths and permission to WRITE further paths',
    )
    expect(describeExtraAccess({ network: false, read: args.read, write: args.write })).toBe(
      `permission to READ ${outside.at('shown')} and permission to WRITE ${outside.at('cache')}`,
    )
    expect(asked.at(-1)?.risk).toBe('High')
  })

  it('is asked about although commands run by themselves, and although the same command without it was agreed to', async () => {
    const { asked, options } = yes({}, 'auto')
    const runtime = await bench().open(options)
    const run = (args: object) => runtime.run([{ id: '1', name: 'run_shell', args }])
    outputOf((await run({ cmd: ['true'] }))[0])
    expect(asked).toHaveLength(0)
    outputOf((await run({ cmd: ['true'], network: true }))[0])
    expect(asked).toHaveLength(1)
    const nobody = await bench().call('run_shell', { cmd: ['true'], network: true }, { preset: 'auto' })
    expect(errorOf(nobody)).toMatchObject({ code: 'approval_denied', details: { reason: 'nobody' } })
  })

  it('network: false and empty lists are no wish', async () => {
    const { asked, options } = yes({}, 'auto')
    outputOf(await bench().call('run_shell', { cmd: ['true'], network: false, read: [], write: [] }, options))
    expect(asked).toHaveLength(0)
  })

  it('gets nothing that the configuration rules out, without a question, and is not told to ask for it', async () => {
    const { asked, options } = yes({ 'tools.shell.network': 'never', 'tools.shell.paths': 'never' })
    const b = bench()
    expect(errorOf(await b.call('run_shell', { cmd: ['true'], network: true }, options))).toMatchObject({
      code: 'not_allowed',
      details: { key: 'tools.shell.network' },
    })
    expect(errorOf(await b.call('run_shell', { cmd: ['true'], read: ['/opt/x'] }, options)).code).toBe(
      'not_allowed',
    )
    expect(asked).toHaveLength(0)
    const told = outputOf(
      await b.call('run_shell', { cmd: ['curl', '-sS', 'http://tongs.invalid/'] }, options),
    )
    expect(told).not.toHaveProperty('grant')
    expect(told['wanted']).toContain('tools.shell.network is never')
  })

  it('never gets keys, credentials, our own records or the system, whoever would agree', async () => {
    const outside = makeScratch()
    outside.file('.ssh/id_rsa', 'key')
    outside.file('server.pem', 'key')
    outside.file('repo/.git/hooks/x', '')
    symlinkSync(outside.at('.ssh'), outside.at('harmless'))
    const { asked, options } = yes({ 'tools.sandbox.include_default_denies': false })
    const b = bench()
    mkdirSync(b.stateDir, { recursive: true })
    const refused = async (wish: object): Promise<string> =>
      errorOf(await b.call('run_shell', { cmd: ['true'], ...wish }, options)).code
    for (const name of ['.ssh', '.ssh/id_rsa', 'server.pem', 'SERVER.PEM', 'harmless', '.ssh/not-there'])
      expect([name, await refused({ read: [outside.at(name)] })]).toEqual([name, 'denied_pattern'])
    for (const path of [
      '/',
      '/etc',
      '/proc/1',
      '/dev/sda',
      '/run',
      '/usr',
      '/home',
      process.env['HOME'] ?? '/root',
    ])
      expect([path, await refused({ write: [path] })]).not.toEqual([path, 'approval_denied'])
    for (const path of [b.stateDir, join(b.stateDir, '..')])
      expect([path, await refused({ read: [path] })]).toEqual([path, 'not_allowed'])
    expect(await refused({ write: [outside.at('repo/.git/hooks')] })).toMatch(/not_allowed|denied_pattern/)
    for (const path of ['relative', '../up', '/tmp/../etc', '/no/such/place', '/tmp/a\nb'])
      expect([path, await refused({ read: [path] })]).toEqual([path, 'bad_args'])
    expect(asked).toHaveLength(0)
  })

  it('cannot be lent a folder that has turned into a link to a key meanwhile', async () => {
    const outside = makeScratch()
    outside.folder('.ssh')
    outside.folder('cache')
    const b = bench()
    const result = await b.call(
      'run_shell',
      { cmd: ['ls', outside.at('cache')], read: [outside.at('cache')] },
      {
        approve: (requests) => {
          const { renameSync } = process.getBuiltinModule('node:fs')
          renameSync(outside.at('cache'), outside.at('gone'))
          symlinkSync(outside.at('.ssh'), outside.at('cache'))
          return requests.map(() => 'once' as const)
        },
      },
    )
    expect(errorOf(result).code).toBe('denied_pattern')
  })

  it('leaves the repository in a folder that it may write as it is', async () => {
    const outside = makeScratch()
    outside.file('repo/.git/config', '[core]\n')
    outside.file('repo/.git/hooks/pre-commit', 'old')
    outside.file('repo/.git/HEAD', 'ref: refs/heads/main\n')
    outside.folder('repo/.git/objects')
    outside.folder('repo/.git/refs')
    const { options } = yes()
    const repo = outside.at('repo')
    const line = `cd ${shellWord(repo)}; echo x >>.git/config; echo x >.git/hooks/pre-commit; mv .git away; echo new >new.txt`
    await bench().call('run_shell', { cmd: ['sh', '-c', line], write: [repo] }, options)
    expect(readFileSync(`${repo}/.git/config`, 'utf8')).toBe('[core]\n')
    expect(readFileSync(`${repo}/.git/hooks/pre-commit`, 'utf8')).toBe('old')
    expect(readFileSync(`${repo}/new.txt`, 'utf8')).toBe('new\n')
  })

  it('finds denied files hidden also where the configuration lets every command read', async () => {
    const outside = makeScratch()
    outside.file('shared/a.txt', 'aaa')
    outside.file('shared/deep/server.key', 'never')
    outside.file('.aws/credentials', 'never')
    const { options } = yes({ 'tools.shell.read': [outside.at('shared'), outside.at('.aws')] })
    const line = `cat ${shellWord(outside.at('shared/a.txt'))} ${shellWord(outside.at('shared/deep/server.key'))} ${shellWord(outside.at('.aws/credentials'))}`
    expect(outputOf(await bench().call('run_shell', { cmd: ['sh', '-c', line] }, options))).toMatchObject({
      stdout: 'aaa',
    })
  })

  it('a missing file is nobody’s doing but its own', async () => {
    const { options } = yes()
    const told = outputOf(await bench().call('run_shell', { cmd: ['cat', '/no/such/file'] }, options))
    expect(told).not.toHaveProperty('wanted')
  })

  it('run_command asks for it the same way, and its failure says what was wanted', async () => {
    const outside = makeScratch()
    writeFileSync(outside.at('a.txt'), 'aaa')
    const { asked, options } = yes({ 'tools.run_command.enabled': true })
    const b = bench()
    const failed = errorOf(
      await b.call('run_command', { command: `cat ${shellWord(outside.at('a.txt'))}` }, options),
    )
    expect(failed.details).toMatchObject({ grant: { read: [outside.at('a.txt')] } })
    expect(failed.content).toContain('seems to need to read')
    const args = { command: `cat ${shellWord(outside.at('a.txt'))}`, read: [outside.at('a.txt')] }
    expect((await b.call('run_command', args, options)).content).toBe('aaa')
    expect(asked.at(-1)?.summary).toMatch(/^Run command with permission to READ/)
  })

  it('run_tests asks for it the same way', async () => {
    const { port, visitors } = await listen()
    const { asked, options } = yes({}, 'auto')
    const b = bench()
    const command = ['bash', '-c', `echo hi >/dev/tcp/127.0.0.1/${port}`]
    await b.call('run_tests', { command }, options)
    expect(visitors()).toBe(0)
    const before = asked.length
    await b.call('run_tests', { command, network: true }, options)
    expect(visitors()).toBe(1)
    expect(asked.length).toBe(before + 1)
    expect(asked.at(-1)).toMatchObject({
      risk: 'High',
      summary: expect.stringMatching(/^Run the tests with NETWORK:/) as string,
    })
  })

  it('can be allowed beyond once with exactly its arguments only, and an allowance for the tool does not cover it', async () => {
    const answers: ApprovalRequest[] = []
    const runtime = await benchAskingBefore().open({
      approve: (requests) => {
        answers.push(...requests)
        return requests.map(() => ({ answer: 'duration', seconds: 60, scope: { kind: 'tool' } }) as const)
      },
    })
    const run = async (args: object) => (await runtime.run([{ id: '1', name: 'run_shell', args }]))[0]
    outputOf(await run({ cmd: ['echo', 'one'] }))
    outputOf(await run({ cmd: ['echo', 'two'] }))
    expect(answers).toHaveLength(1)
    const beyond = await run({ cmd: ['echo', 'three'], network: true })
    expect(answers).toHaveLength(2)
    expect(answers[1]?.scopes.map(({ scope }) => scope.kind)).toEqual(['arguments'])
    // An answer that would allow more than may be allowed approves nothing.
    expect(errorOf(beyond).code).toBe('approval_denied')
  })
})

describe('a repository outside the workspace', () => {
  it.for(['tools', 'tools/pre-commit'])('is not opened at what git runs in it: %s', async (name) => {
    const b = bench()
    const repository = makeRepository(join(b.top, 'other'))
    git(repository, 'config', 'core.hooksPath', 'tools')
    mkdirSync(join(repository, 'tools'))
    writeFileSync(join(repository, 'tools/pre-commit'), '')
    const args = { cmd: ['true'], write: [join(repository, name)] }
    const error = errorOf(await b.call('run_shell', args, yes().options))
    expect(error.code).toBe('not_allowed')
    expect(error.message).toContain('core.hookspath')
  })

  it('keeps what git runs when all of it may be written', async () => {
    const b = bench()
    const repository = makeRepository(join(b.top, 'other'))
    git(repository, 'config', 'core.hooksPath', 'tools')
    mkdirSync(join(repository, 'tools'))
    const line = `cd ${shellWord(repository)}; echo x >ours; echo x >tools/pre-commit`
    const args = { cmd: ['sh', '-c', line], write: [repository] }
    const output = outputOf(await b.call('run_shell', args, yes().options))
    expect(output).toMatchObject({ stderr: expect.stringContaining('Read-only file system') as string })
    expect(existsSync(join(repository, 'ours'))).toBe(true)
    expect(existsSync(join(repository, 'tools/pre-commit'))).toBe(false)
  })
})
