import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkOwnPlaces, findRootsFault, withoutWorkOf } from '../../../src/runtime/configure/own-places.ts'
import { stateFolder, userConfigFile } from '../../../src/host/fs/folders.ts'
import type { Settings } from '../../../src/config/keys.ts'
import { createFindOwn } from '../../../src/workspace/sandbox/own-paths.ts'
import { bench } from '../../bench-folder.ts'
import { load, own } from '../../config/load.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** A home with its state beside it. */
function makePlaces() {
  const scratch = makeScratch()
  for (const folder of ['home', 'state', 'work']) scratch.folder(folder)
  const env = { HOME: scratch.at('home') }
  const check = (
    roots: readonly string[],
    more: { stateDir?: string; root?: string; configFile?: string; env?: object; settings?: Settings } = {},
  ) =>
    checkOwnPlaces(
      {
        stateDir: scratch.at('state'),
        settings: null,
        configFile: more.configFile,
        ...more,
        env: { ...env, ...more.env },
      },
      roots.map((root) => scratch.at(root)),
    )
  return { scratch, env, check }
}

describe('the places of Tongs', () => {
  it('are no concern of a root that holds none of them', () => {
    expect(makePlaces().check(['work'])).toEqual([])
  })

  it.each([
    ['at a root', ['state']],
    ['in a root', ['.']],
    ['in a root that is not the first', ['work', '.']],
  ])('refuse a state folder %s', (_, roots) => {
    expect(() => makePlaces().check(roots)).toThrow(/^state folder: .* tools could reach it/)
  })

  it('refuse a root inside the state folder or the configuration', () => {
    const { scratch, check } = makePlaces()
    scratch.folder('state/outputs')
    scratch.folder('home/.config/tongs/gates')
    expect(() => check(['state/outputs'])).toThrow(/holds the workspace/)
    expect(() => check(['home/.config/tongs'])).toThrow(/is the workspace/)
    expect(() => check(['home/.config/tongs/gates'])).toThrow(/holds the workspace/)
  })

  it('refuse a root with a link on the way to the state folder, or the folder it leads to', () => {
    const { scratch, check } = makePlaces()
    scratch.folder('work/real')
    symlinkSync(scratch.at('work/real'), scratch.at('home/link'))
    symlinkSync(scratch.at('state'), scratch.at('work/out'))
    expect(() => check(['work'], { stateDir: scratch.at('home/link/tongs') })).toThrow(/inside the workspace/)
    expect(() => check(['work'], { stateDir: scratch.at('work/out') })).toThrow(/inside the workspace/)
  })

  it('are hidden where a root holds them, whether they exist or not, and wherever variables put them', () => {
    const { scratch, check } = makePlaces()
    const hidden = (...paths: readonly string[]) =>
      paths.map((path) => ({ path: scratch.at(path), as: 'hidden' }))
    expect(check(['home'])).toEqual(hidden('home/.local/state/tongs', 'home/.config/tongs'))
    expect(check(['work'], { env: { XDG_CONFIG_HOME: scratch.at('work/x') } })).toEqual(
      hidden('work/x/tongs'),
    )
    expect(check(['work'], { env: { TONGS_CONFIG: scratch.at('work/t.toml') } })).toEqual(
      hidden('work/t.toml'),
    )
  })

  it('protect every link that leads to them', () => {
    const { scratch, env, check } = makePlaces()
    scratch.file('work/dot/tongs/config.toml')
    symlinkSync('../work/dot', scratch.at('home/.config'))
    const found = check(['work'])
    expect(found).toEqual([{ path: scratch.at('work/dot/tongs'), as: 'hidden' }])
    expect(findRootsFault([scratch.at('work')], found, env)).toBeNull()
    symlinkSync('tongs', scratch.at('work/dot/link'))
    const named = check(['work'], { configFile: scratch.at('work/dot/link/config.toml') })
    expect(named).toContainEqual({ path: scratch.at('work/dot/link'), as: 'link' })
    expect(findRootsFault([scratch.at('work')], named, env)?.reason).toContain('could replace it')
  })

  it.each(['config.toml', 'keys.json'])('are what a link to %s leads to, too', (name) => {
    const { scratch, check } = makePlaces()
    const file = scratch.file(`work/dot/${name}`)
    scratch.folder('home/.config/tongs')
    symlinkSync(file, scratch.at(`home/.config/tongs/${name}`))
    expect(check(['work'])).toEqual([{ path: file, as: 'hidden' }])
  })

  it('keep commands from running by a link only if a root holds it', () => {
    const { scratch, env, check } = makePlaces()
    scratch.file('opt/python3.11')
    const outside = scratch.link('opt/python3', 'python3.11')
    const inside = scratch.link('work/python3', outside)
    const faultOf = (path: string) => findRootsFault([scratch.at('work')], [{ path, as: 'link' }], env)
    expect(faultOf(outside)).toBeNull()
    expect(faultOf(scratch.link('opt/work', scratch.at('work')))).toBeNull()
    expect(faultOf(inside)?.reason).toContain(`${inside} is a link`)
    const named = scratch.link('opt/root', scratch.at('work'))
    const file = scratch.file('work/ci.toml')
    expect(check(['work'], { configFile: `${named}/ci.toml` })).toEqual([{ path: file, as: 'shielded' }])
  })

  it.each(['/', '/home', '/home/somebody', '/Users/somebody', '/root', '/etc', '.', 'home'])(
    'make %s too wide for commands',
    (root) => {
      const { scratch, env } = makePlaces()
      const path = root.startsWith('/') ? root : scratch.at(root)
      expect(findRootsFault([scratch.at('work'), path], [], env)?.reason).toContain('too wide')
      expect(findRootsFault([scratch.at('work')], [], env)).toBeNull()
    },
  )
})

describe('where the settings of the user are', () => {
  it.each(['', '.', 'home', '~'])('is not the current folder if HOME is "%s"', (HOME) => {
    const file = userConfigFile({ HOME })
    expect(file).toBe(userConfigFile({}))
    expect(file.startsWith('/')).toBe(true)
    expect(stateFolder({ HOME })).toBe(stateFolder({}))
  })
})

describe('what is ours in a root', () => {
  const findOwn = createFindOwn([
    { path: '/r/.config/tongs', as: 'hidden' },
    { path: '/r/ci.toml', as: 'shielded' },
    { path: '/r/link', as: 'link' },
  ])

  it.each([
    ['/r/.config/tongs', true, true],
    ['/r/.config/tongs/config.toml', true, true],
    ['/r/.CONFIG/Tongs/x', true, true],
    ['/r/.config/tongs ', true, true],
    ['/r/.config', false, true],
    ['/r', false, true],
    ['/r/.config/tongs-2/x', false, false],
    ['/r/.config/other', false, false],
    ['/r/ci.toml', false, true],
    ['/r/link', false, true],
    ['/r/link/below', false, false],
  ])('%s is denied to readers: %s, and to writers: %s', (path, isRead, isWrite) => {
    expect(findOwn(path, 'read') !== null).toBe(isRead)
    expect(findOwn(path, 'write') !== null).toBe(isWrite)
  })

  it('a witness behind a link in a root is refused', async () => {
    const b = bench()
    mkdirSync(join(b.top, 'safe'))
    symlinkSync(join(b.top, 'safe'), join(b.root, 'way'))
    const config = { 'journal.witness': join(b.root, 'way/witness') }
    await expect(b.open({ config })).rejects.toThrow(/journal.witness: .* inside the workspace/)
  })

  it.each([
    ['a program', (file: string) => [file]],
    ['a script', (file: string) => ['sh', file]],
    ['a path from the top folder', (file: string) => ['sh', file.slice(1)]],
    ['the value of an option', (file: string) => ['sh', `--file=${file}`]],
    ['a word of a line', (file: string) => ['sh', '-c', `. "${file}"; true`]],
  ])('the file of a gate is shielded if its command names it by %s', async (_, commandOf) => {
    const { scratch, check } = makePlaces()
    const file = scratch.file('work/gate.sh', '#!/bin/sh\n')
    const gate = { name: 'g', command: commandOf(file), timeout_seconds: 1, tools: ['*'] }
    const settings = { ...(await load({})).settings, 'tools.gates': [gate] }
    const found = check(['work'], { settings }).map((one) => JSON.stringify(one))
    expect([...new Set(found)]).toEqual([JSON.stringify({ path: file, as: 'shielded' })])
  })

  it.each([
    ['by its whole path', (file: string) => ['sh', file]],
    ['from the home folder', () => ['../work/key.sh', 'anthropic']],
  ])('what prints the key of a provider is shielded, named %s', async (_, commandOf) => {
    const { scratch, check } = makePlaces()
    const file = scratch.file('work/key.sh', '#!/bin/sh\n')
    const settings = { ...(await load({})).settings, 'model.key_command': commandOf(file) }
    const found = check(['work'], { settings }).map((one) => JSON.stringify(one))
    expect([...new Set(found)]).toEqual([JSON.stringify({ path: file, as: 'shielded' })])
  })

  it.each([
    ['the program', (file: string) => `command = '${file}'`],
    [
      'a word',
      (file: string) => `command = 'node'\nargs = ['--import=${file}', '${dirname(file)}/notes.txt']`,
    ],
  ])('what runs as an MCP server is shielded, as %s of its command', async (_, entryOf) => {
    const { scratch, check } = makePlaces()
    const file = scratch.file('work/server.mjs', '')
    const notes = scratch.file('work/notes.txt')
    const { settings } = await load(own(`[mcp.servers.s]\n${entryOf(file)}\nwrite = ['${notes}']\n`))
    const found = check(['work'], { settings }).map((one) => JSON.stringify(one))
    expect([...new Set(found)]).toEqual([JSON.stringify({ path: file, as: 'shielded' })])
  })

  it.each(['notes.txt', '~/../work/notes.txt'])(
    'what a server may change itself, as %s, is not shielded',
    async (write) => {
      const { scratch, check } = makePlaces()
      const notes = scratch.file('work/notes.txt')
      const entry = `command = 'node'\nargs = ['${notes}']\nwrite = ['${write}']\n`
      const { settings } = await load(own(`[mcp.servers.s]\n${entry}`))
      const found = check(['work'], { settings, root: scratch.at('work') })
      expect(found.filter(({ path }) => path === notes)).toEqual([])
    },
  )

  it('what a server is started with and may write is kept from other servers, and so is what is ours for another reason', async () => {
    const { scratch, check } = makePlaces()
    const [program, gate] = [scratch.file('work/srv/a.js'), scratch.file('work/srv/gate.sh')]
    const entry = `command = 'node'\nargs = ['${program}', '${gate}']\nwrite = ['srv']\n`
    const { settings } = await load(
      own(`[mcp.servers.s]\n${entry}[mcp.servers.t]\ncommand = 'x'\nwrite = ['srv']`),
    )
    const gates = [{ name: 'g', command: [gate], timeout_seconds: 1, tools: ['*'] }]
    const gated = { ...settings, 'tools.gates': gates }
    const root = scratch.at('work')
    const found = check(['work'], { settings: gated, root }).filter(({ path }) => path.includes('/srv/'))
    const facts = { stateDir: scratch.at('state'), env: { HOME: scratch.at('home') }, root, settings: gated }
    const keptFrom = (name: string) => {
      const server = settings['mcp.servers'][name]
      return new Set(
        withoutWorkOf(server === undefined ? [] : [server], found, facts).map(({ path }) => path),
      )
    }
    expect(keptFrom('t')).toEqual(new Set([program, gate]))
    expect(keptFrom('s')).toEqual(new Set([gate]))
  })

  it('a state folder in a further root is refused before anything runs', async () => {
    const b = bench()
    const config = { 'tools.sandbox.allowed_roots': ['.', b.top] }
    await expect(b.open({ config })).rejects.toThrow(/state folder: .* inside the workspace/)
  })
})
