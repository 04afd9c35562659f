import { chmodSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../../src/config/keys.ts'
import { checkOwnPlaces } from '../../../src/runtime/configure/own-places.ts'
import { load, own } from '../../config/load.ts'
import { makeScratch } from '../../harness/scratch.ts'
import type { Scratch } from '../../harness/scratch.ts'

/** A root with tools, beside a home that has a folder on PATH. */
function makeWork(variables: Readonly<Record<string, string>> = {}) {
  const scratch = makeScratch()
  for (const folder of ['home', 'state', 'bin', 'work/tools/srv', 'work/my tools', 'work/src'])
    scratch.folder(folder)
  for (const file of ['tools/gate.sh', 'tools/srv/index.js', 'my tools/gate.sh', 'package.json'])
    scratch.file(`work/${file}`, '#!/bin/sh\n')
  chmodSync(scratch.at('work/tools/gate.sh'), 0o755)
  scratch.link('bin/mygate', scratch.at('work/tools/gate.sh'))
  scratch.link('home/project', scratch.at('work'))
  const facts = {
    stateDir: scratch.at('state'),
    env: { HOME: scratch.at('home'), PATH: `${scratch.at('bin')}:/usr/bin:/bin`, ...variables },
    root: scratch.at('work'),
  }
  /** The paths in the root that must not change, without the root's own path. */
  const shielded = (settings: Settings): readonly string[] => {
    const found = checkOwnPlaces({ ...facts, settings }, [scratch.at('work')])
    const inRoot = found.filter(({ path }) => !path.endsWith('/.tongs.toml'))
    return [...new Set(inRoot.map(({ path, as }) => `${path.slice(scratch.at('work/').length)} ${as}`))]
  }
  return { scratch, shielded }
}

const GATE = ['tools/gate.sh shielded']
const FOLDER = ['tools/srv shielded']
const SPACED = ['my tools/gate.sh shielded']

/** How a command can name a file or folder of the root, and what must not change then. */
const SPELLINGS: readonly (readonly [string, (scratch: Scratch) => readonly string[], readonly string[]])[] =
  [
    ['a link on PATH', () => ['mygate'], GATE],
    ['a link on PATH behind another program', () => ['env', '-i', 'mygate'], GATE],
    ['a link on PATH in a line for a shell', () => ['sh', '-c', 'true;mygate --fast|cat'], GATE],
    ['a folder', ({ at }) => ['node', at('work/tools/srv')], FOLDER],
    ['a folder with a slash at its end', ({ at }) => ['node', `${at('work/tools/srv')}/`], FOLDER],
    [
      'the folder of an option',
      ({ at }) => ['uv', `--directory=${at('work/tools/srv')}`, 'run', 'x.py'],
      FOLDER,
    ],
    ['a file URL', ({ at }) => ['node', `--import=file://${at('work/tools/gate.sh')}`], GATE],
    [
      'an encoded file URL',
      ({ at }) => ['node', '--import', pathToFileURL(at('work/my tools/gate.sh')).href],
      SPACED,
    ],
    ['a file URL with a host', ({ at }) => ['node', `file://localhost${at('work/tools/gate.sh')}`], GATE],
    ['a list', ({ at }) => ['java', '-cp', `/dev/null:${at('work/tools/gate.sh')}`, 'Main'], GATE],
    ['a list with commas', ({ at }) => ['x', `a,${at('work/tools/gate.sh')},b`], GATE],
    ['a glued option', ({ at }) => ['cc', `-I${at('work/tools/srv')}`], FOLDER],
    ['a glued option of two letters', ({ at }) => ['cc', `-cp${at('work/tools/gate.sh')}`], GATE],
    ['a file of arguments', ({ at }) => ['java', `@${at('work/tools/gate.sh')}`], GATE],
    ['a quoted path with a blank', ({ at }) => ['sh', '-c', `. '${at('work/my tools/gate.sh')}' -x`], SPACED],
    ['an escaped blank', ({ at }) => ['sh', '-c', `. ${at('work/my\\ tools/gate.sh')}`], SPACED],
    ['a variable for the home', () => ['sh', '-c', '. "$HOME/project/tools/gate.sh"'], GATE],
    ['a tilde', () => ['sh', '-c', '. ~/project/tools/gate.sh'], GATE],
    [
      'a folder above and a relative path',
      ({ path }) => ['env', '-C', path, 'sh', 'work/tools/gate.sh'],
      GATE,
    ],
    ['a variable in a line', ({ path }) => ['sh', '-c', `D=${path}; . $D/work/tools/gate.sh`], GATE],
    ['a pattern', ({ at }) => ['sh', '-c', `for f in ${at('work/tools/srv')}/*.js; do :; done`], FOLDER],
    ['a way up', ({ at }) => ['sh', `${at('work/src')}/../tools/gate.sh`], GATE],
    ['a file that is not there yet', ({ at }) => ['sh', at('work/new/gate.sh')], ['new/gate.sh absent']],
  ]

describe('what a command of the user names in a root cannot be changed', () => {
  const withGate = async (command: readonly string[]) => ({
    ...(await load({})).settings,
    'tools.gates': [{ name: 'g', command, timeout_seconds: 1, tools: ['*'] }],
  })

  it.each(SPELLINGS)('by a gate that spells it as %s', async (_, commandOf, expected) => {
    const { scratch, shielded } = makeWork()
    expect(shielded(await withGate(commandOf(scratch)))).toEqual(expected)
  })

  it.each(SPELLINGS)('by a command for a key that spells it as %s', async (_, commandOf, expected) => {
    const { scratch, shielded } = makeWork()
    const settings = { ...(await load({})).settings, 'model.key_command': commandOf(scratch) }
    expect(shielded(settings)).toEqual(expected)
  })

  it.each(SPELLINGS)('by a command for notices that spells it as %s', async (_, commandOf, expected) => {
    const { scratch, shielded } = makeWork()
    const settings = { ...(await load({})).settings, 'notify.command': commandOf(scratch) }
    expect(shielded(settings)).toEqual(expected)
  })

  it.each(SPELLINGS)('by an MCP server that spells it as %s', async (_, commandOf, expected) => {
    const { scratch, shielded } = makeWork()
    const [command = '', ...args] = commandOf(scratch)
    const entry = `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
    expect(shielded((await load(own(`[mcp.servers.s]\n${entry}`))).settings)).toEqual(expected)
  })

  it.each(SPELLINGS)(
    'by an MCP server that may write it and spells it as %s',
    async (_, commandOf, expected) => {
      const { scratch, shielded } = makeWork()
      const [command = '', ...args] = commandOf(scratch)
      const entry = `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
      const write = `write = ['tools', 'my tools', '${scratch.at('work')}']\n`
      expect(shielded((await load(own(`[mcp.servers.s]\n${entry}${write}`))).settings)).toEqual(expected)
    },
  )

  it('but not what an MCP server may write by that very name, unless it is the program', async () => {
    const { scratch, shielded } = makeWork()
    const [folder, file] = [scratch.at('work/tools/srv'), scratch.at('work/tools/gate.sh')]
    const shieldedWith = async (command: string, args: readonly string[]) => {
      const entry = `command = '${command}'\nargs = ${JSON.stringify(args)}\n`
      const write = `write = ['tools/srv', '${file}']\n`
      return shielded((await load(own(`[mcp.servers.s]\n${entry}${write}`))).settings)
    }
    expect(await shieldedWith('node', [folder, file])).toEqual([])
    expect(await shieldedWith('node', [`${folder}/index.js`])).toEqual(['tools/srv/index.js shielded'])
    expect(await shieldedWith(file, [folder])).toEqual(GATE)
  })

  it('by a variable of a server, also one of the environment', async () => {
    const { scratch, shielded } = makeWork()
    const env = `env = { PYTHONPATH = '/usr/lib:${scratch.at('work/src')}', P = '\${HOME}/project/tools/gate.sh' }`
    const { settings } = await load(own(`[mcp.servers.s]\ncommand = 'python3'\n${env}\n`))
    expect(shielded(settings)).toEqual(['src shielded', ...GATE])
  })

  it.each(['VISUAL', 'EDITOR', 'BROWSER'])('by %s', async (name) => {
    const { settings } = await load({})
    expect(makeWork({ [name]: 'mygate --wait' }).shielded(settings)).toEqual(GATE)
    expect(makeWork({ [name]: './tools/gate.sh' }).shielded(settings)).toEqual(GATE)
    expect(makeWork({ [name]: 'src' }).shielded(settings)).toEqual([])
  })

  it('but nothing else is', async () => {
    const { scratch, shielded } = makeWork()
    const commands = [
      ['node', '/usr/lib/gate.mjs', '--deny', 'src', '--ask', 'package.json', '/dev/null'],
      ['sh', '-c', 'cat / > /dev/null; echo src/x'],
      ['env', '-C', scratch.path, 'sh', 'tools/gate.sh'],
    ]
    for (const command of commands) expect(shielded(await withGate(command))).toEqual([])
  })

  it('a gate or a command for a key that names the whole root is refused, and a server may work on it', async () => {
    const { scratch, shielded } = makeWork()
    const { settings } = await load({})
    for (const path of [scratch.at('work'), `${scratch.at('work')}/`, scratch.at('home/project')]) {
      const command = ['npm', `--prefix=${path}`, 'run', 'gate']
      const gated = await withGate(command)
      expect(() => shielded(gated)).toThrow(/^gate: .* is the workspace/)
      expect(() => shielded({ ...settings, 'model.key_command': command })).toThrow(/is the workspace/)
      const entry = `command = 'uv'\nargs = ['--directory', '${path}', 'run', 'tools/gate.sh', '${path}/src']\n`
      const served = await load(own(`[mcp.servers.s]\n${entry}write = ['src']\n`))
      expect(shielded(served.settings)).toEqual(GATE)
    }
  })
})
