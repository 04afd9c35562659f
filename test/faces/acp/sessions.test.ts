import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { makeScripted, openEditor, scriptOf } from './open-editor.ts'
import type { Ask } from './open-editor.ts'
import { TONGS } from '../cli/command-line.ts'
import type { Shop } from '../cli/command-line.ts'

const WRITE = {
  text: 'I write it.',
  calls: [{ id: 'c1', name: 'write_file', args: { path: 'a.txt', content: 'new\n' } }],
}
const never: Ask = () => new Promise(() => undefined)

describe('the sessions of an editor', () => {
  it('keeps a question that the editor died with, and asks again in the next one', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }, { text: 'And this.' }])
    const { promise: isAsked, resolve: noteAsked } = Promise.withResolvers<void>()
    const first = await openEditor(shop, {
      ask: (request) => {
        noteAsked()
        return never(request)
      },
    })
    const session = await first.begin()
    const lost = first.prompt(session, 'write it').catch((thrown: unknown) => thrown)
    await isAsked
    expect(await first.end()).toBe(0)
    expect(await lost).toBeInstanceOf(Error)
    expect(shop.get('a.txt')).toBeNull()

    const second = await openEditor(shop)
    const loaded = await second.agent.request('session/load', {
      sessionId: session,
      cwd: shop.root,
      mcpServers: [],
    })
    expect(loaded).toMatchObject({ _meta: { tongs: { pending: [{ call: { name: 'write_file' } }] } } })
    const replayed = second.updates.map(({ update }) => update.sessionUpdate)
    expect(replayed.slice(0, 3)).toEqual(['user_message_chunk', 'agent_message_chunk', 'tool_call'])
    const response = await second.prompt(session, 'and now?')
    expect(response.stopReason).toBe('end_turn')
    expect(second.asked).toHaveLength(1)
    expect(shop.get('a.txt')).toBe('new\n')
    expect(second.said()).toContain('Done.')
    expect(second.said()).toContain('And this.')
  })

  it('replays a conversation with its results, and lists it with its title', async () => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const first = await openEditor(shop)
    const session = await first.begin()
    await first.prompt(session, 'write it')
    await first.end()
    const second = await openEditor(shop)
    const { sessions } = await second.agent.request('session/list', { cwd: shop.root })
    expect(sessions).toMatchObject([{ sessionId: session, cwd: shop.root, title: 'write it' }])
    await second.agent.request('session/load', { sessionId: session, cwd: shop.root, mcpServers: [] })
    expect(second.said()).toBe('I write it.Done.')
    const [call] = second.ofKind('tool_call')
    expect(second.ofKind('tool_call_update')).toMatchObject([
      {
        toolCallId: call?.toolCallId,
        status: 'completed',
        content: [{ type: 'diff', path: `${shop.root}/a.txt`, newText: 'new\n' }],
      },
    ])
    await second.agent.request('session/close', { sessionId: session })
    const before = second.updates.length
    await second.agent.request('session/resume', { sessionId: session, cwd: shop.root })
    const kinds = second.updates.slice(before).map(({ update }) => update.sessionUpdate)
    expect(kinds).not.toContain('user_message_chunk')
    const listed = await shop.tongs(['sessions', '--json'])
    expect(listed.out).toContain(session)
  })

  it('has the presets as modes, which hold from the next turn on and stay with the session', async () => {
    const shop = makeScripted([WRITE, { text: 'Refused.' }])
    const editor = await openEditor(shop)
    const opened = await editor.agent.request('session/new', { cwd: shop.root, mcpServers: [] })
    const { sessionId } = opened
    expect(opened.modes?.availableModes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['plan', 'ask', 'edits', 'auto']),
    )
    await editor.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
    await editor.prompt(sessionId, 'write it')
    expect(editor.asked).toEqual([])
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({ status: 'failed' })
    expect(shop.get('a.txt')).toBeNull()
    const { configOptions } = await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'preset',
      value: 'auto',
    })
    expect(configOptions.find(({ id }) => id === 'preset')).toMatchObject({ currentValue: 'auto' })
    expect(editor.ofKind('current_mode_update').at(-1)).toMatchObject({ currentModeId: 'auto' })
    await editor.agent.request('session/close', { sessionId })
    const again = await editor.agent.request('session/resume', { sessionId, cwd: shop.root })
    expect(again.modes?.currentModeId).toBe('auto')
    await expect(
      editor.agent.request('session/set_mode', { sessionId, modeId: 'sudo' }),
    ).rejects.toMatchObject({ code: -32_602 })
  })

  it('takes another model for the next turn, and says what is wrong with one that does not exist', async () => {
    const shop = makeScripted([{ text: 'First.' }])
    shop.put('other.json', JSON.stringify({ turns: [{ text: 'Second.' }] }))
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    const value = `script:${shop.root}/other.json`
    const { configOptions } = await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'model',
      value,
    })
    expect(configOptions.find(({ id }) => id === 'model')).toMatchObject({ currentValue: value })
    await editor.prompt(sessionId, 'hello')
    expect(editor.said()).toBe('Second.')
    await expect(
      editor.agent.request('session/set_config_option', { sessionId, configId: 'model', value: 'nobody' }),
    ).rejects.toMatchObject({ message: expect.stringContaining('is not a model') as string })
  })

  it('says how to set up a model where there is none, and serves a client that needs none', async () => {
    const shop = makeScripted([])
    const env = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '', TONGS_MODEL: '' }
    const editor = await openEditor(shop, { words: [], env, capabilities: { auth: { terminal: true } } })
    expect(editor.introduced.authMethods).toMatchObject([{ type: 'terminal', id: 'setup', args: ['setup'] }])
    await expect(editor.begin()).rejects.toMatchObject({
      code: -32_000,
      data: { code: 'auth', recovery: [expect.stringContaining('tongs setup') as string] },
    })
    await expect(editor.agent.request('authenticate', { methodId: 'setup' })).rejects.toMatchObject({
      code: -32_000,
    })
    await expect(editor.agent.request('authenticate', { methodId: 'other' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('"other"; there is setup') as string,
    })
    shop.put('a.txt', 'here\n')
    const sessionId = await editor.begin({ _meta: { tongs: { model: 'optional' } } })
    const result = await editor.agent.request('_tongs/call', {
      sessionId,
      name: 'read_file',
      args: { path: 'a.txt' },
    })
    expect(result).toMatchObject({ ok: true, name: 'read_file' })
    await expect(editor.prompt(sessionId, 'hello')).rejects.toMatchObject({ code: -32_000 })
  })

  it('leaves no process behind when the editor goes while a command runs', async () => {
    const marker = `sleep 31${process.pid % 10_000}`
    const shop = makeScripted([
      {
        text: '',
        calls: [{ id: 'c1', name: 'run_shell', args: { cmd: ['sh', '-c', `echo on; ${marker}`] } }],
      },
    ])
    const editor = await openEditor(shop)
    const lost = editor.prompt(await editor.begin(), 'go').catch(() => null)
    await editor.until(
      (update) => update.sessionUpdate === 'tool_call_update' && JSON.stringify(update).includes('"on'),
    )
    expect(await editor.end()).toBe(0)
    await lost
    const left = await new Promise<string>((resolve) => {
      const ps = spawn('ps', ['-eo', 'args'])
      let text = ''
      ps.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
      ps.on('close', () => resolve(text))
    })
    expect(left.split('\n').filter((row) => row.trim() === marker)).toEqual([])
  })

  it('says who has a session that another process works in', async () => {
    const shop = makeScripted([WRITE])
    const first = await openEditor(shop, { ask: never })
    const session = await first.begin()
    void first.prompt(session, 'go').catch(() => null)
    await first.until((update) => update.sessionUpdate === 'tool_call')
    const second = await openEditor(shop)
    const { sessions } = await second.agent.request('session/list', { cwd: shop.root })
    expect(sessions).toMatchObject([
      {
        sessionId: session,
        _meta: { tongs: { open: true, owner: { pid: expect.any(Number) as number, command: 'tongs acp' } } },
      },
    ])
    const own = await first.agent.request('session/list', { cwd: shop.root })
    expect(JSON.stringify(own.sessions)).not.toContain('"owner"')
    await expect(
      second.agent.request('session/load', { sessionId: session, cwd: shop.root, mcpServers: [] }),
    ).rejects.toMatchObject({ message: expect.stringContaining(session) as string })
  })

  it.each([
    ['settings that are wrong', (shop: Shop) => writeFileSync(join(shop.root, '.tongs.toml'), '= 1')],
    ['a model that is gone', (shop: Shop) => rmSync(scriptOf(shop))],
  ])('leaves an open session as it was if it cannot be loaded again: %s', async (_what, spoil) => {
    const shop = makeScripted([WRITE, { text: 'Done.' }])
    const isAsked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<RequestPermissionResponse>()
    const editor = await openEditor(shop, {
      ask: () => {
        isAsked.resolve()
        return answer.promise
      },
    })
    const sessionId = await editor.begin()
    const prompted = editor.prompt(sessionId, 'go')
    await isAsked.promise
    spoil(shop)
    for (const method of ['session/load', 'session/resume'])
      await expect(
        editor.agent.request(method, { sessionId, cwd: shop.root, mcpServers: [] }),
      ).rejects.toThrow()
    answer.resolve({ outcome: { outcome: 'selected', optionId: 'once' } })
    expect(await prompted).toMatchObject({ stopReason: 'end_turn' })
    expect(editor.said()).toContain('Done.')
    expect(await editor.agent.request('_tongs/pending', { sessionId })).toMatchObject({ approvals: [] })
  })

  it('loads an open session that holds nothing yet', async () => {
    const shop = makeScripted([{ text: 'Hello.' }])
    const editor = await openEditor(shop)
    const sessionId = await editor.begin()
    await editor.agent.request('session/load', { sessionId, cwd: shop.root, mcpServers: [] })
    expect(await editor.prompt(sessionId, 'hello')).toMatchObject({ stopReason: 'end_turn' })
  })

  it('refuses folders that do not exist, and sessions that are not there', async () => {
    const shop = makeScripted([])
    const editor = await openEditor(shop)
    for (const cwd of ['relative', '/no/such/folder'])
      await expect(editor.begin({ cwd })).rejects.toMatchObject({ code: -32_602 })
    await expect(editor.prompt('nobody', 'hello')).rejects.toMatchObject({ code: -32_002 })
    await expect(
      editor.agent.request('session/load', { sessionId: 'nobody', cwd: shop.root, mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002 })
  })

  it('refuses options that make no sense for an editor', async () => {
    const shop = makeScripted([])
    const { code, err } = await shop.tongs(['acp', '--json', '--model', `script:${scriptOf(shop)}`])
    expect([code, err]).toEqual([2, expect.stringContaining('acp does not take --json')])
    const help = await new Promise<string>((resolve) => {
      const child = spawn(TONGS, ['acp', '--help'])
      let text = ''
      child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
      child.on('close', () => resolve(text))
    })
    expect(help).toContain('Agent Client Protocol')
  })
})
