import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { trustCommands } from '../../../src/runtime/commands/find-commands.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { connectHttp, connectStreams, listen, openServed, REVISIONS } from './open-client.ts'
import type { Served } from './open-client.ts'

afterEach(() => vi.unstubAllEnvs())

/** A served root with a command of the user and one of the project. */
async function openWithCommands(): Promise<Served & { readonly put: (name: string, text: string) => void }> {
  const served = await openServed()
  const config = join(dirname(served.root), 'config')
  vi.stubEnv('XDG_CONFIG_HOME', config)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const put = (name: string, text: string): void => write(join(config, 'tongs', 'commands', name), text)
  put('review.md', '---\ndescription: Review it\nargument-hint: FILE\n---\nReview $1.')
  write(join(served.root, '.tongs', 'commands', 'build.md'), 'Build it.')
  return { ...served, put }
}

describe.each(REVISIONS)('commands that are files, over MCP in revision %s', (revision) => {
  it.for(['streams', 'loopback'])('are prompts over %s, and the list is that of now', async (way) => {
    const served = await openWithCommands()
    const { client } =
      way === 'streams'
        ? await connectStreams(served, revision)
        : await connectHttp(await listen(served), revision)
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      {
        name: 'review',
        description: 'Review it',
        arguments: [{ name: 'arguments', description: 'FILE', required: false }],
      },
    ])
    trustCommands({ ...served, witness: '' })
    served.put('undo.md', 'Never.')
    const names = (await client.listPrompts()).prompts.map(({ name }) => name)
    expect(names).toEqual(['build', 'review'])
  })

  it.for(['streams', 'loopback'])('that change are told of with the next call over %s', async (way) => {
    const served = await openWithCommands()
    const { client, call } =
      way === 'streams'
        ? await connectStreams(served, revision)
        : await connectHttp(await listen(served), revision)
    const told = vi.fn<() => void>()
    client.setNotificationHandler('notifications/prompts/list_changed', told)
    if (revision === '2026-07-28') await client.listen({ promptsListChanged: true })
    await client.listPrompts()
    await call('list_directory', { path: '.' })
    served.put('more.md', 'More.')
    await vi.waitFor(
      async () => {
        await call('list_directory', { path: '.' })
        expect(told).toHaveBeenCalledTimes(1)
      },
      { timeout: PATIENCE_MS, interval: 100 },
    )
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['more', 'review'])
    expect(client.getServerCapabilities()).toMatchObject({ prompts: { listChanged: true }, resources: {} })
    expect(client.getServerCapabilities()?.resources?.listChanged).toBeUndefined()
  })

  it('give their text as words of the user, with the argument filled in', async () => {
    const served = await openWithCommands()
    const { client } = await connectStreams(served, revision)
    const given = await client.getPrompt({ name: 'review', arguments: { arguments: 'a.txt b.txt' } })
    expect(given).toMatchObject({
      description: 'Review it',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review a.txt.' } }],
    })
    const bare = await client.getPrompt({ name: 'review' })
    expect(bare.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Review .' } }])
  })

  it.for([
    ['unknown', {}, /There is no prompt unknown/],
    ['build', {}, /not trusted as they are now/],
    ['review', { file: 'a.txt' }, /There is no argument file/],
    ['review', { arguments: 'x'.repeat(300_000) }, /longer than 262144/],
  ] as const)('%s with %j is refused with the reason', async ([name, given, why]) => {
    const { client } = await connectStreams(await openWithCommands(), revision)
    await expect(client.getPrompt({ name, arguments: { ...given } })).rejects.toThrow(why)
  })
})
