import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { ToolResult } from '../../src/core/result.ts'
import type { Runtime, RuntimeOptions } from '../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'

const agreed: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
/** Says something, then goes on until it is stopped. */
const SERVER = ['sh', '-c', 'echo ready; echo warned >&2; while true; do sleep 0.05; done']
const sh = (line: string): readonly string[] => ['sh', '-c', line]

/** A runtime whose calls are of one session. */
async function openCalls(
  options: Partial<RuntimeOptions> = agreed,
  b: Bench = bench({ 'a.txt': 'alpha\n' }),
) {
  const runtime = await b.open(options)
  let count = 0
  const call = async (args: object, session = 's'): Promise<ToolResult> => {
    const [result] = await runtime.run([{ id: `c${++count}`, name: 'run_shell', args }], { session })
    if (result === undefined) throw new Error('no result')
    return result
  }
  const start = async (cmd: readonly string[], more: object = {}): Promise<JsonObject> =>
    outputOf(await call({ cmd, background: true, ...more }))
  /** Reads until the text is there or the command has ended; each read waits for news. */
  const readUntil = async ({ handle, stdout }: JsonObject, text: string): Promise<string> => {
    let seen = String(stdout)
    for (;;) {
      if (seen.includes(text)) return seen
      const output = outputOf(await call({ handle, timeout: 20 }))
      seen += String(output['stdout'])
      if (output['state'] === 'ended') return seen
    }
  }
  return { b, runtime, call, start, readUntil }
}

const layersIn = (b: Bench): readonly string[] => {
  const folder = join(b.stateDir, 'layers')
  return existsSync(folder) ? readdirSync(folder) : []
}
const notesOf = (runtime: Runtime) =>
  [...runtime.log({ session: 's' })].flatMap(({ entry }) =>
    entry.kind === 'note' && entry.about === 'background' ? [entry.data] : [],
  )

describe('a command in the background', () => {
  it('answers with a handle and its first output, and goes on', async () => {
    const { start, call, readUntil, runtime } = await openCalls()
    const first = await start(SERVER)
    expect(first).toMatchObject({ state: 'running', layer: 'overlay' })
    expect(first['exit_code']).toBeUndefined()
    expect(first['sandbox']).toMatch(/bubblewrap/)
    const { handle } = first
    expect(await readUntil(first, 'ready\n')).toBe('ready\n')
    expect(outputOf(await call({ handle }))).toMatchObject({ handle, state: 'running', stdout: '' })
    expect(runtime.background()).toMatchObject([{ handle, session: 's', state: 'running', ended: null }])
    expect(runtime.background()[0]?.command).toMatch(/^sh -c 'echo ready/)
  })

  it('gives each piece of its output once, and waits for it if told to', async () => {
    const { b, start, call } = await openCalls({ ...agreed, config: { 'tools.shell.passthrough': ['go'] } })
    const line = 'echo one; while [ ! -e go/on ]; do sleep 0.02; done; echo two; while true; do sleep 1; done'
    const { handle, stdout } = await start(sh(line))
    const waiting = call({ handle, timeout: 30 })
    const rest = stdout === '' ? outputOf(await waiting)['stdout'] : ''
    expect(`${String(stdout)}${String(rest)}`).toBe('one\n')
    b.put('go/on', '')
    const news = outputOf(await (stdout === '' ? call({ handle, timeout: 30 }) : waiting))
    expect(news).toMatchObject({ stdout: 'two\n', state: 'running' })
    expect(outputOf(await call({ handle }))).toMatchObject({ stdout: '', stderr: '' })
  })

  it('tells nothing more, and is stopped, once a denied file came that it may have read', async () => {
    const { b, start, call, readUntil } = await openCalls({
      ...agreed,
      config: { 'tools.shell.passthrough': ['go'] },
    })
    const line = (name: string) =>
      `echo up; while [ ! -e go/${name} ]; do sleep 0.02; done; cat ${name}; while true; do echo more; sleep 0.02; done`
    const first = await start(sh(line('.env')))
    await readUntil(first, 'up\n')
    b.put('.env', 'KEPT=from models\n')
    b.put('go/.env', '')
    const told = await call({ handle: first['handle'], timeout: 20 })
    expect(told.content).not.toContain('from models')
    expect(told.content).toMatch(/\.env was renamed or created .* output and its changes are dropped/)
    const again = await call({ handle: first['handle'] })
    expect(again.content).toMatch(/changes are dropped/)
    // Control: a file that is not denied is told.
    const second = await start(sh(line('plain')))
    await readUntil(second, 'up\n')
    b.put('plain', 'not hidden\n')
    b.put('go/plain', '')
    expect(await readUntil(second, 'more\n')).toContain('not hidden')
  })

  it('has no output in the store that could be read while it runs', async () => {
    const { start, call, runtime, readUntil } = await openCalls()
    const first = await start(sh('seq 1 60000; echo done; while true; do sleep 1; done'))
    const { handle } = first
    await readUntil(first, 'done\n')
    const read = async () => {
      const args = { path: `tongs:output/${String(handle)}`, start_line: 1, end_line: 1 }
      const [result] = await runtime.run([{ id: 'r', name: 'read_file', args }], { session: 's' })
      return result
    }
    expect((await read())?.content).toMatch(/No stored file/)
    await call({ handle, stop: true })
    expect((await read())?.ok).toBe(true)
  })

  it('is stopped by its handle, with everything that it started', async () => {
    const { start, call, runtime } = await openCalls()
    const { handle } = await start(sh('sleep 1000 & sleep 1000 & echo up; wait'))
    const end = outputOf(await call({ handle, stop: true }))
    expect(end).toMatchObject({ state: 'ended', exit_code: null })
    expect(String(end['notes'])).toContain('was stopped')
    expect(runtime.background()).toMatchObject([{ state: 'ended' }])
    expect(outputOf(await call({ handle, stop: true }))).toMatchObject({ state: 'ended' })
  })

  it('that ends by itself has its exit code, and its output can be read until then', async () => {
    const { start, readUntil, call } = await openCalls()
    const first = await start(sh('echo a; sleep 0.8; echo b; exit 3'))
    const { handle } = first
    expect(await readUntil(first, 'never')).toBe('a\nb\n')
    const end = outputOf(await call({ handle }))
    expect(end).toMatchObject({ state: 'ended', exit_code: 3 })
    expect(String(end['notes'])).toContain('ended with exit code 3')
  })

  it('lands nothing of what it wrote, and leaves no layer', async () => {
    const { b, start, readUntil, call } = await openCalls()
    const first = await start(sh('echo new > n.txt; rm a.txt; ls; while true; do sleep 1; done'))
    const { handle } = first
    expect(layersIn(b)).toHaveLength(1)
    await readUntil(first, 'n.txt')
    expect(readdirSync(b.root)).toEqual(['a.txt'])
    outputOf(await call({ handle, stop: true }))
    expect(readdirSync(b.root)).toEqual(['a.txt'])
    expect(layersIn(b)).toEqual([])
  })

  it('that cannot be started is an error like that of any command, and leaves nothing', async () => {
    const { b, call, readUntil, runtime } = await openCalls()
    const cmd = ['no-such-program-here']
    const absent = await call({ cmd, background: true })
    // On a busy machine it is known only after the start.
    if (absent.ok) await readUntil(outputOf(absent), 'never')
    else expect(errorOf(absent).message).toMatch(/was not found on the PATH/)
    expect(notesOf(runtime)[1]).toMatchObject({ event: 'ended', how: 'failed' })
    expect(layersIn(b)).toEqual([])
    expect(runtime.background().filter(({ state }) => state === 'running')).toEqual([])
  })

  it('is asked about like any command, and the question says that it goes on', async () => {
    const asked: string[] = []
    const { call, runtime } = await openCalls({
      config: { 'tools.shell.ask': 'before' },
      approve: (requests) => {
        asked.push(...requests.map(({ summary }) => summary))
        return requests.map(() => 'deny' as const)
      },
    })
    expect((await call({ cmd: SERVER, background: true })).ok).toBe(false)
    expect(asked).toEqual([expect.stringMatching(/^Run in the background: sh -c/)])
    expect(runtime.background()).toEqual([])
    const network = await call({ cmd: SERVER, background: true, network: true })
    expect(network.ok).toBe(false)
    expect(asked).toHaveLength(2)
  })

  it('is denied where commands are, and to look at one needs no answer', async () => {
    const denied = await openCalls({ config: { 'tools.run_shell.enabled': false } })
    expect(errorOf(await denied.call({ cmd: SERVER, background: true })).code).toBe('denylisted')
    const { start, call } = await openCalls({ preset: 'ask' })
    const { handle } = await start(SERVER)
    expect((await call({ handle, stop: true })).ok).toBe(true)
  })

  it('has a handle that no other session can use', async () => {
    const { start, call } = await openCalls()
    const { handle } = await start(SERVER)
    expect(errorOf(await call({ handle }, 'other')).message).toMatch(
      /No command in the background of this session/,
    )
    expect(errorOf(await call({ handle, stop: true }, 'other')).code).toBe('execution_failed')
    expect(outputOf(await call({ handle }))).toMatchObject({ state: 'running' })
  })

  it.for([
    [{}, /cmd is missing/],
    [{ stop: true, cmd: ['true'] }, /stop needs the handle/],
    [{ handle: 'x', cmd: ['true'] }, /handle goes only with stop and timeout, not with cmd/],
    [{ handle: 'x', background: true }, /not with background/],
    [{ handle: 'x', network: true }, /not with network/],
  ] as const)('refuses %j', async ([args, why]) => {
    const { call } = await openCalls()
    const error = errorOf(await call(args))
    expect([error.code, error.message]).toEqual(['bad_args', expect.stringMatching(why)])
  })

  it('is one of at most so many', async () => {
    const { start, call } = await openCalls({ ...agreed, config: { 'tools.shell.background.max': 1 } })
    const { handle } = await start(SERVER)
    const second = errorOf(await call({ cmd: SERVER, background: true }))
    expect([second.code, second.details['running']]).toEqual(['limit_exceeded', [handle]])
    await call({ handle, stop: true })
    expect(await start(SERVER)).toMatchObject({ state: 'running' })
    const none = await openCalls({ ...agreed, config: { 'tools.shell.background.max': 0 } })
    expect(errorOf(await none.call({ cmd: SERVER, background: true })).code).toBe('limit_exceeded')
  })

  it('is stopped when its time is up', async () => {
    const { start, readUntil, call } = await openCalls({
      ...agreed,
      config: { 'tools.shell.background.max_seconds': 1 },
    })
    const first = await start(SERVER)
    const { handle } = first
    await readUntil(first, 'never')
    expect(String(outputOf(await call({ handle }))['notes'])).toContain('after its time was up')
  })

  it('shows no secret, keeps only the end of what nobody reads, and says both', async () => {
    const { start, call } = await openCalls()
    const first = await start(
      sh('yes 0123456789 | head -c 3000000; echo token ghp_abcdefghijklmnopqrstuvwxyz0123456789; exit 0'),
    )
    const { handle } = first
    let notes = String(first['notes'])
    let text = String(first['stdout'])
    for (let state = String(first['state']); state === 'running';) {
      const output = outputOf(await call({ handle, timeout: 20 }))
      text += String(output['stdout'])
      notes += String(output['notes'])
      state = String(output['state'])
    }
    expect(text).toContain('[redacted')
    expect(text).not.toContain('ghp_')
    expect(notes).toContain('what looked like a secret')
    expect(text).toMatch(/characters left out/)
    expect(text.length).toBeLessThan(3_000_000)
  })

  it('starts nothing in a dry run', async () => {
    const { runtime } = await openCalls()
    const calls = [{ id: 'c', name: 'run_shell', args: { cmd: SERVER, background: true } }]
    const [result] = await runtime.run(calls, { session: 's', dryRun: true })
    expect(outputOf(result)).toMatchObject({ dry_run: true, would_run: SERVER })
    expect(runtime.background()).toEqual([])
  })

  it('has its start and its end on record, in the log and in the audit trail', async () => {
    const { start, call, runtime } = await openCalls()
    const { handle } = await start(SERVER)
    expect(notesOf(runtime)).toEqual([{ event: 'started', text: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    await call({ handle, stop: true })
    expect(notesOf(runtime)[1]).toMatchObject({ event: 'ended', how: 'stopped', exit_code: null })
    const events = [...runtime.audit({ session: 's' })].filter(({ executionId }) => executionId === handle)
    expect(events.at(-1)).toMatchObject({
      state: 'COMPLETED',
      background: { how: 'stopped', exit_code: null },
    })
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
  })

  it.for(['release', 'close'] as const)('ends at %s at the latest, and that is on record', async (way) => {
    const durable = { ...agreed, durability: 'normal' } as const
    const { b, start, runtime } = await openCalls(durable)
    await start(SERVER)
    if (way === 'release') await runtime.release('s')
    else await runtime.close()
    expect(layersIn(b)).toEqual([])
    const again = await b.open(durable)
    expect(notesOf(again)[1]).toMatchObject({ event: 'ended', how: 'closed' })
  })
})

describe('a command in the background that writes a folder directly', () => {
  it.for([
    ['a folder of tools.shell.passthrough', { 'tools.shell.passthrough': ['out'] }],
    ['the workspace, without a layer', { 'tools.shell.layer': 'off' as const }],
  ] as const)('(%s) is the only one until it ends', async ([, config]) => {
    const { b, start, call } = await openCalls({ ...agreed, config })
    const made = 'mkdir -p out; git init -q out/r; git -C out/r config core.fsmonitor false; echo made'
    const { handle } = await start(sh(`${made}; while true; do sleep 0.05; done`))
    const beside = errorOf(await call({ cmd: ['true'] }))
    expect(beside).toMatchObject({ code: 'not_allowed', details: { handle } })
    expect(beside.message).toContain('runs in the background and writes the same folder directly')
    expect(errorOf(await call({ cmd: SERVER, background: true })).code).toBe('not_allowed')
    await call({ handle, stop: true })
    expect(readdirSync(join(b.root, 'out/r'))).toEqual(['.git.refused'])
    expect(
      outputOf(await call({ cmd: sh('cp -a out/r/.git.refused out/r/.git; echo copied') }))['stdout'],
    ).toBe('copied\n')
    expect(readdirSync(join(b.root, 'out/r')).toSorted()).toEqual(['.git.refused', '.git.refused-1'])
  })

  it('lets others run that write on a layer alone', async () => {
    const { start, call } = await openCalls()
    await start(SERVER)
    expect(outputOf(await call({ cmd: sh('echo here') }))['stdout']).toBe('here\n')
  })
})
