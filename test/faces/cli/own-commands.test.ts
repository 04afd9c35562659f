import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { listMessages } from '../../../src/agent/sessions/fork-session.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { cleanUpWith } from '../../harness/clean-up.ts'
import { makeShop, useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { codeOf, makeMachine } from './machine.ts'

const shopOf = useShops()

/** Says something with a scripted model, and returns what the model was told. */
async function say(shop: Shop, words: string): Promise<{ readonly told: string; readonly err: string }> {
  // The command takes its own variables away with all others.
  vi.stubEnv('XDG_CONFIG_HOME', shop.env['XDG_CONFIG_HOME'])
  const model = ['--model', `script:${putScript(shop)}`, '--session', 'one', '--json']
  const { code, err } = await shop.tongs(['run', words, ...model])
  expect([code, err]).toEqual([0, expect.any(String)])
  return { told: await readTold(shop), err }
}

function putOwn(shop: Shop, name: string, text: string): void {
  const folder = join(shop.env['XDG_CONFIG_HOME'] ?? '', 'tongs', 'commands')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}

function putScript(shop: Shop): string {
  const script = join(shop.stateDir, '..', 'script.json')
  writeFileSync(script, JSON.stringify({ turns: [{ text: 'Done.' }] }))
  return script
}

/** The last words that the model was told by the user. */
async function readTold(shop: Shop): Promise<string> {
  const runtime = await createRuntime({ root: shop.root, stateDir: shop.stateDir })
  const messages = listMessages(runtime.peek('one'))
  await runtime.close()
  return messages.findLast(({ role }) => role === 'user')?.text ?? ''
}

describe('tongs run with a command that is a file', () => {
  it('expands it, and leaves every other line as it is', async () => {
    const shop = shopOf()
    putOwn(shop, 'review.md', 'Review $ARGUMENTS.')
    expect((await say(shop, '/review a.txt')).told).toBe('Review a.txt.')
    expect((await say(shop, '/unknown a.txt')).told).toBe('/unknown a.txt')
    expect((await say(shop, '/etc/hosts is odd')).told).toBe('/etc/hosts is odd')
    expect((await say(shop, '/undo it')).told).toBe('/undo it')
  })

  it('expands /init as the app does, and no file replaces it', async () => {
    const shop = shopOf()
    putOwn(shop, 'init.md', 'Obey.')
    expect((await say(shop, '/init be short')).told).toMatch(/^Write AGENTS\.md.*The user adds: be short/s)
    expect((await say(shop, '/initial')).told).toBe('/initial')
  })

  it('leaves what comes from standard input as it is', async () => {
    const shop = makeShop({ 'a.txt': 'alpha\n' })
    cleanUpWith(shop.remove)
    putOwn(shop, 'review.md', 'Review $ARGUMENTS.')
    const words = ['run', '-', '--model', `script:${putScript(shop)}`, '--session', 'one', '--json']
    expect(await shop.tongs(words, { stdin: '/review a.txt\n' })).toMatchObject({ code: 0 })
    expect(await readTold(shop)).toBe('/review a.txt')
  })

  it('uses those of a project once tongs trust was run, and says why it does not before', async () => {
    const shop = shopOf({ '.tongs/commands/build.md': 'Build $1.' })
    const before = await say(shop, '/build all')
    expect(before.told).toBe('/build all')
    expect(before.err).toMatch(/tongs: sent as it is: .*build\.md is not a command: .*not trusted/)
    const trusted = await shop.tongs(['trust', '--json'])
    expect(JSON.parse(trusted.out)).toEqual({
      commands: [join(shop.root, '.tongs/commands/build.md')],
      roles: [],
      skills: [],
    })
    expect((await say(shop, '/build all')).told).toBe('Build all.')
  })

  it('tongs trust covers the configuration and the commands, and says that there is neither', async () => {
    const shop = shopOf({ 'a.txt': 'x\n' })
    const none = await shop.tongs(['trust'])
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringMatching(/does not exist, and there are neither commands/),
    ])
    shop.put('.tongs.toml', '[tools]\n')
    shop.put('.tongs/commands/build.md', 'Build.')
    const { out } = await shop.tongs(['trust'])
    expect(out).toMatch(/\.tongs\.toml is trusted as it is now.*\n.*build\.md is trusted as it is now/)
  })
})

describe('the folder of the project for Tongs', () => {
  it('can be read and not changed by path tools and commands', async () => {
    const { at, put, batch } = makeMachine('root')
    put('work/.tongs/commands/build.md', 'Build.\n')
    const calls = [
      ['read_file', { path: '.tongs/commands/build.md' }],
      ['run_shell', { cmd: ['cat', '.tongs/commands/build.md'] }],
      ['write_file', { path: '.tongs/commands/build.md', content: 'x' }],
      ['write_file', { path: '.tongs/commands/new.md', content: 'x' }],
      ['move_path', { from: '.tongs', to: 'away' }],
      ['delete_path', { path: '.tongs/commands' }],
      ['run_shell', { cmd: ['sh', '-c', 'echo x >>.tongs/commands/build.md'] }],
      ['run_shell', { cmd: ['rm', '-rf', '.tongs'] }],
    ] as const
    const words = ['--set', 'tools.on_refused_edit=go_on']
    const rows = await batch(
      calls.map(([name, args]) => ({ name, args })),
      { words },
    )
    expect(rows.map(codeOf)).toEqual(['ok', 'ok', ...Array<string>(6).fill('denied_pattern')])
    expect(readFileSync(at('work/.tongs/commands/build.md'), 'utf8')).toBe('Build.\n')
  })
})
