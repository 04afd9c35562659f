import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { openConversation } from '../../../src/agent/open-conversation.ts'
import type { ToolResult } from '../../../src/core/result.ts'
import { listLive } from '../../../src/host/run/noted/live-commands.ts'
import { scripted } from '../../agent/talk.ts'
import type { ModelRequest } from '../../../src/model/model-client.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { eventually, findByCommandLine, oddSeconds } from '../../host/run/command-bench.ts'

const PROGRAM = join(import.meta.dirname, 'background-process.ts')

/** Starts a process that starts a command in the background; gives what its call answered. */
async function startIn(b: Bench, line: string, ...passthrough: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, b.root, b.stateDir, line, ...passthrough], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUpWith(() => void child.kill('SIGKILL'))
  const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { handle: String(outputOf(JSON.parse(said) as ToolResult)['handle']), kill }
}

describe('a process with a command in the background that is killed', () => {
  it('leaves no repository that the command made where it writes directly', async () => {
    const b = bench({ 'out/old/a.txt': 'alpha\n' })
    spawnSync('git', ['init', '-q', join(b.root, 'out/old')])
    const seconds = oddSeconds()
    const made = 'git init -q out/new; git -C out/new config core.fsmonitor false; echo made'
    const { kill } = await startIn(b, `${made}; sleep ${seconds}`, 'out')
    expect(await eventually(() => existsSync(join(b.root, 'out/new/.git/config')), PATIENCE_MS)).toBe(true)
    await kill()
    expect(await eventually(() => findByCommandLine(seconds).length === 0, PATIENCE_MS)).toBe(true)
    const runtime = await b.open({
      config: { 'tools.shell.passthrough': ['out'] },
      approve: (requests) => requests.map(() => 'once' as const),
    })
    const look = (id: string) =>
      runtime.run([{ id, name: 'run_shell', args: { cmd: ['echo', 'here'] } }], { session: 's' })
    const [first] = await look('c1')
    expect(first === undefined ? null : errorOf(first)).toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('out/new/.git is .git.refused now') as string,
    })
    expect(readdirSync(join(b.root, 'out/new'))).toEqual(['.git.refused'])
    expect(readdirSync(join(b.root, 'out/old')).toSorted()).toEqual(['.git', 'a.txt'])
    const [second] = await look('c2')
    expect(second?.ok).toBe(true)
  })

  it('leaves no process of it, and its end is on record as unknown', async () => {
    const b = bench({ 'a.txt': 'alpha\n' })
    const seconds = oddSeconds()
    const line = `trap '' TERM HUP; setsid sleep ${seconds} & echo up; sleep ${seconds}; sleep ${seconds}`
    const { handle, kill } = await startIn(b, line)
    expect(await eventually(() => findByCommandLine(seconds).length > 0, PATIENCE_MS)).toBe(true)
    expect(listLive(b.stateDir)).toMatchObject([{ execution: handle, session: 's', root: b.root }])

    await kill()
    expect(await eventually(() => findByCommandLine(seconds).length === 0, PATIENCE_MS)).toBe(true)
    expect(listLive(b.stateDir)).toEqual([])

    const runtime = await b.open({ durability: 'normal' })
    const requests: ModelRequest[] = []
    const model = scripted([{ text: 'I see.' }], requests)
    const conversation = await openConversation({ runtime, model, session: 's' })
    const entries = [...runtime.log({ session: 's' })].flatMap(({ entry }) =>
      entry.kind === 'note' && entry.about === 'background' ? [entry.data] : [],
    )
    expect(entries).toEqual([
      expect.objectContaining({ event: 'started' }),
      expect.objectContaining({ event: 'ended', how: 'lost', exit_code: null }),
    ])
    for await (const event of conversation.send('go on')) void event
    const [told] = requests[0]?.messages ?? []
    expect(told).toMatchObject({ role: 'user' })
    expect(JSON.stringify(told)).toContain('its exit code is unknown')
    const read = await runtime.run([{ id: 'c', name: 'run_shell', args: { handle } }], { session: 's' })
    expect(read[0]?.ok).toBe(false)
  })
})
