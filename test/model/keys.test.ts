import { execFile } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { printKey } from '../../src/model/keys/key-command.ts'
import { findKeyPlace, readKeyAt } from '../../src/model/keys/provider-key.ts'
import type { KeySources } from '../../src/model/keys/key-sources.ts'
import { entryFor, readStoredKeys, storeKey } from '../../src/model/keys/stored-keys.ts'
import { openModel } from '../../src/model/open-model.ts'
import { PATIENCE_MS } from '../harness/patience.ts'
import { makeScratch } from '../harness/scratch.ts'

const KEY = 'sk-test-0123456789abcdef'
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('the key file', () => {
  it('is readable by its owner alone from the start, and keeps its other entries', () => {
    const file = makeScratch().at('config', 'tongs', 'keys.json')
    storeKey(file, 'anthropic', KEY)
    storeKey(file, entryFor('compatible', 'https://one.example/v1/'), 'other-key')
    expect(modeOf(file)).toBe(0o600)
    storeKey(file, 'anthropic', null)
    expect([...readStoredKeys(file)]).toEqual([['compatible https://one.example/v1', 'other-key']])
  })

  it('loses nothing if one process stores keys while another renews tokens', async () => {
    const file = makeScratch().at('keys.json')
    const child = fileURLToPath(new URL('key-file-child.ts', import.meta.url))
    const store = async (kind: string, other: string) =>
      promisify(execFile)(process.execPath, [child, file, kind, other, '60'])
    await Promise.all([store('keys', 'tokens'), store('tokens', 'keys')])
    const names = [...readStoredKeys(file).keys()]
    expect(names.filter((name) => name.startsWith('compatible '))).toHaveLength(60)
    expect(names.filter((name) => name.endsWith(' access'))).toHaveLength(60)
  })

  it('is not made longer than what is read of it', () => {
    const file = makeScratch().at('config', 'tongs', 'keys.json')
    storeKey(file, 'anthropic', KEY)
    expect(() => storeKey(file, 'openai', 'x'.repeat(300_000))).toThrow('cannot be written (EFBIG)')
    expect([...readStoredKeys(file)]).toEqual([['anthropic', KEY]])
  })

  it('closes a file that others can read, and says so', () => {
    const file = makeScratch().file('keys.json', JSON.stringify({ openai: KEY }))
    chmodSync(file, 0o644)
    const notices: string[] = []
    const onOpenFile = (notice: string): number => notices.push(notice)
    expect([...readStoredKeys(file, onOpenFile)]).toEqual([['openai', KEY]])
    expect(modeOf(file)).toBe(0o600)
    readStoredKeys(file, onOpenFile)
    expect(notices).toEqual([expect.stringContaining('Others could read the key file')])
    chmodSync(file, 0o640)
    expect(
      findKeyPlace(
        { provider: 'openai', baseUrl: null },
        { env: {}, roots: [], file, command: null, onOpenFile },
      ),
    ).toEqual({
      is: 'file',
      file,
    })
    chmodSync(file, 0o604)
    storeKey(file, 'openai', null, onOpenFile)
    expect(notices).toHaveLength(3)
  })

  it.for([
    ['a link', /it is a link/],
    ['a list', /not a JSON object/],
    ['a folder', /not a regular file/],
  ] as const)('is not used if it is %s, and the message shows nothing of it', ([what, says]) => {
    const scratch = makeScratch()
    const file = scratch.at('keys.json')
    if (what === 'a folder') scratch.folder('keys.json')
    else if (what === 'a list') writeFileSync(file, `["${KEY}"]`, { mode: 0o600 })
    else symlinkSync(scratch.file('elsewhere', JSON.stringify({ openai: KEY })), file)
    let message = ''
    try {
      readStoredKeys(file)
    } catch (thrown) {
      message = thrown instanceof Error ? thrown.message : ''
    }
    expect(message).toMatch(says)
    expect(message).toContain('tongs setup')
    expect(message).not.toContain(KEY)
  })
})

describe('where a key comes from', () => {
  const sources = (more: Partial<KeySources>): KeySources => ({
    env: {},
    roots: [],
    file: null,
    command: null,
    ...more,
  })

  it('what was set up counts more than the environment, a command more than the file', () => {
    const file = makeScratch().at('keys.json')
    const env = { ANTHROPIC_API_KEY: 'from-env' }
    const purpose = { provider: 'anthropic', baseUrl: null } as const
    expect(findKeyPlace(purpose, sources({ env, file }))).toEqual({ is: 'env', name: 'ANTHROPIC_API_KEY' })
    storeKey(file, 'anthropic', KEY)
    expect(findKeyPlace(purpose, sources({ env, file }))).toEqual({ is: 'file', file })
    const command = { words: ['x'], provider: 'anthropic', baseUrl: null }
    expect(findKeyPlace(purpose, sources({ env, file, command }))).toEqual({ is: 'command' })
  })

  it('no key is sent to another provider, nor to another server', async () => {
    const file = makeScratch().at('keys.json')
    storeKey(file, 'anthropic', KEY)
    storeKey(file, entryFor('compatible', 'https://one.example/v1'), KEY)
    const command = { words: ['x'], provider: 'anthropic', baseUrl: null }
    const all = sources({ file, command })
    expect(findKeyPlace({ provider: 'openai', baseUrl: null }, all)).toBe(null)
    expect(findKeyPlace({ provider: 'anthropic', baseUrl: 'https://two.example/v1' }, all)).toBe(null)
    expect(findKeyPlace({ provider: 'compatible', baseUrl: 'https://two.example/v1' }, all)).toBe(null)
    const one = { provider: 'compatible', baseUrl: 'https://one.example/v1' } as const
    expect(await readKeyAt({ is: 'file', file }, one, all)).toBe(KEY)
  })

  it('a model without a key says how to get one', async () => {
    const opened = openModel('anthropic/x', { keys: sources({}) })
    await expect(opened).rejects.toThrow(/needs a key\. Run tongs setup, or set ANTHROPIC_API_KEY/)
  })
})

describe('a command that prints a key', () => {
  const env = { HOME: '/', PATH: '/usr/bin:/bin' }
  const world = { env, roots: [] }

  it('gets no shell: what looks like one is a word', async () => {
    const scratch = makeScratch()
    const words = ['printf', '%s\n', `$(touch ${scratch.at('ran')});key`]
    expect(await printKey(['echo', KEY], world)).toBe(KEY)
    await expect(printKey(words, world)).rejects.toThrow(/characters that no key has/)
    expect(existsSync(scratch.at('ran'))).toBe(false)
  })

  it('starts in the home folder, and never a program of the folder it was started in', async () => {
    const home = makeScratch()
    const path = home.file('bin/key', `#!/bin/sh\npwd > '${home.at('where')}'\necho ${KEY}\n`)
    chmodSync(path, 0o755)
    expect(await printKey([path], { env: { ...env, HOME: home.path }, roots: [] })).toBe(KEY)
    expect(readFileSync(home.at('where'), 'utf8').trim()).toBe(home.path)
    const relative = printKey(['key'], { env: { HOME: home.at('bin'), PATH: '.:' }, roots: [] })
    await expect(relative).rejects.toThrow(/"key" was not found/)
  })

  it('is not looked up in a folder that models work in, also where PATH names that first, by a link', async () => {
    const root = makeScratch()
    const outside = makeScratch()
    for (const [scratch, key] of [
      [root, 'stolen'],
      [outside, KEY],
    ] as const)
      chmodSync(scratch.file('bin/pass', `#!/bin/sh\necho ${key}\n`), 0o755)
    symlinkSync(root.at('bin'), outside.at('link'))
    const PATH = [root.at('bin'), outside.at('link'), outside.at('bin'), '/usr/bin', '/bin'].join(':')
    expect(await printKey(['pass'], { env: { ...env, PATH }, roots: [root.path] })).toBe(KEY)
  })

  it.for([
    ['sh', ['-c', `echo ${KEY}; echo ${KEY} >&2; exit 3`], /"sh" ended with 3/],
    ['sh', ['-c', `echo '${KEY} and more'`], /characters that no key has/],
    ['sh', ['-c', `yes ${KEY}`], /printed too much/],
    ['true', [], /printed nothing/],
    ['no-such-program', [KEY], /"no-such-program" was not found/],
  ] as const)(
    'if %s %j fails, the message says why and shows nothing of the key',
    async ([word, more, says]) => {
      const failed = await printKey([word, ...more], world).then(
        () => '',
        (thrown: Error) => thrown.message,
      )
      expect(failed).toMatch(says)
      expect(failed).toContain('model.key_command')
      expect(failed).not.toContain(KEY)
    },
  )

  it('is stopped with everything it started if it hangs', async () => {
    const pid = makeScratch().at('pid')
    const words = ['sh', '-c', `sleep 600 & echo $! > '${pid}'; wait`]
    await expect(printKey(words, world, { timeoutMs: 500 })).rejects.toThrow(/did not end within 0.5 s/)
    const child = Number(readFileSync(pid, 'utf8'))
    // What has ended has no command line, even if nobody has taken notice of its end.
    const isRunning = (): boolean =>
      existsSync(`/proc/${child}`) && readFileSync(`/proc/${child}/cmdline`, 'utf8') !== ''
    await vi.waitFor(() => expect(isRunning()).toBe(false), { timeout: PATIENCE_MS })
  })
})
