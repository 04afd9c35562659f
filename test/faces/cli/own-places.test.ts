import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, makeMachine, outputOf, USERS } from './machine.ts'
import { someOf } from '../../harness/long-run.ts'

/** A command after an edit that was refused is to run all the same. */
const GO_ON = ['--set', 'tools.on_refused_edit=go_on']
const LOOSE = '[tools]\napproval.mode = "auto"\n'
/** A filter for system calls that lets everything through. */
const OPEN_FILTER = String.raw`printf '\006\000\000\000\000\000\377\177'`
const SOCKET = 'perl -MSocket -e \'print socket(S, AF_UNIX, SOCK_STREAM, 0) ? "OPEN" : "held"\''

/** Everything below a folder, without following links. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return lstatSync(path).isDirectory() ? [path, ...treeOf(path)] : [path]
  })
}

describe('the files of the runner', () => {
  it.for(
    someOf(
      USERS.flatMap((user) => [[user, 'work'] as const, [user, 'work/tmp'] as const]),
      1,
    ),
  )(
    'are not where a command could change its own sandbox, as %s, with the temporary folder at %s',
    async ([user, folder]) => {
      const { at, batch } = makeMachine(user)
      mkdirSync(at(folder), { recursive: true })
      const seen = 'find . -name "tongs-*"; ls -a tmp 2>/dev/null'
      const overwrite = `find . -path "*tongs-*" -type f | while read f; do chmod u+w "$f"; ${OPEN_FILTER} >"$f"; done`
      const rows = await batch(
        [`${seen}; ${overwrite}; sleep 0.2; ${seen}`, SOCKET, `${seen}; ${SOCKET}`].map((line, number) => ({
          name: 'run_shell',
          args: { cmd: ['sh', '-c', line], stdin: `${number}` },
        })),
        { env: { TMPDIR: at(folder) } },
      )
      const texts = rows.map((row) => outputOf(row).stdout)
      expect(texts.filter((text) => text.includes('tongs-'))).toEqual([])
      expect(texts[1]).toBe('held')
      expect(texts[2]).toMatch(/held$/)
      expect(treeOf(at('work')).filter((path) => path.slice(at('work').length).includes('tongs-'))).toEqual(
        [],
      )
    },
  )

  it('the attack would work: without a filter a command gets its socket', () => {
    expect(execFileSync('sh', ['-c', SOCKET], { encoding: 'utf8' })).toBe('OPEN')
  })
})

describe('a home as the root', () => {
  it.for(someOf(USERS, 1))(
    'leaves the settings of Tongs to the person, and runs no commands, as %s',
    async (user) => {
      const { at, put, batch } = makeMachine(user)
      put('home/.config/tongs/config.toml', '[tools]\napproval.mode = "prompt"\n')
      put('home/.local/state/tongs/journal.db')
      put('home/loose/tongs/config.toml', LOOSE)
      put('home/loose/config.toml', LOOSE)
      symlinkSync(at('home/.config'), at('home/alias'))
      const before = treeOf(at('home/.config')).map((path) => [path, lstatSync(path).ino])
      const args = [
        ['write_file', { path: '.config/tongs/config.toml', content: LOOSE }],
        ['write_file', { path: '.Config/TONGS/new.toml', content: LOOSE }],
        ['write_file', { path: 'alias/tongs/new.toml', content: LOOSE }],
        ['read_file', { path: '.config/tongs/config.toml' }],
        ['move_path', { from: '.config/tongs/config.toml', to: 'gone.toml' }],
        ['move_path', { from: '.config/tongs', to: 'gone' }],
        ['move_path', { from: '.config', to: 'gone' }],
        ['move_path', { from: 'loose/config.toml', to: '.config/tongs/other.toml' }],
        ['move_path', { from: 'loose', to: '.config/tongs/sub' }],
        ['delete_path', { path: '.config' }],
        ['delete_path', { path: '.config/tongs' }],
        ['delete_path', { path: '.local' }],
        ['write_file', { path: '.local/state/tongs/trust.json', content: '{}' }],
        ['apply_patch', { patch: `LP1\nF .config/tongs/made.toml\nT\n${LOOSE}.\nEND\n` }],
      ] as const
      const rows = await batch(
        [
          ...args.map(([name, given]) => ({ name, args: given })),
          { name: 'run_shell', args: { cmd: ['sh', '-c', `echo x >.config/tongs/config.toml`] } },
          { name: 'write_file', args: { path: '.config/other/settings.toml', content: 'fine = 1\n' } },
        ],
        { root: at('home') },
      )
      const codes = rows.map((row, number) => `${args[number]?.[0] ?? ''} ${codeOf(row)}`)
      expect(codes.slice(0, args.length).filter((code) => !code.endsWith('denied_pattern'))).toEqual([])
      expect(codeOf(rows.at(-2))).toBe('not_allowed')
      expect(JSON.stringify(rows.at(-2))).toMatch(/too wide for commands.*--root/)
      expect(codeOf(rows.at(-1))).toBe('ok')
      const after = treeOf(at('home/.config')).filter((path) => !path.includes('other'))
      expect(after.map((path) => [path, lstatSync(path).ino])).toEqual(before)
    },
  )

  it('a folder that holds one is as wide', async () => {
    const { at, sh } = makeMachine('root')
    expect(
      codeOf(
        await sh('true', { root: at('.'), env: { TONGS_STATE_DIR: join(dirname(at('.')), 'elsewhere') } }),
      ),
    ).toBe('not_allowed')
  })

  it('the folder that links lead to is protected as well', async () => {
    const { at, put, batch } = makeMachine('root')
    put('home/dotfiles/config/tongs/config.toml', '')
    symlinkSync('dotfiles/config', at('home/.config'))
    const rows = await batch(
      [
        { name: 'write_file', args: { path: 'config/tongs/config.toml', content: LOOSE } },
        { name: 'move_path', args: { from: 'config', to: 'away' } },
        {
          name: 'run_shell',
          args: {
            cmd: ['sh', '-c', `mv config away; mkdir -p config/tongs; echo x >config/tongs/config.toml; ls`],
          },
        },
      ],
      { root: at('home/dotfiles'), words: GO_ON },
    )
    expect(rows.map(codeOf)).toEqual(['denied_pattern', 'denied_pattern', 'denied_pattern'])
    expect(readdirSync(at('home/dotfiles'))).toEqual(['config'])
    expect(readFileSync(at('home/dotfiles/config/tongs/config.toml'), 'utf8')).toBe('')
  })
})

describe('settings of Tongs in a root that is not a home', () => {
  const LINES = [
    'cat cfg/tongs/config.toml',
    'echo x >cfg/tongs/config.toml',
    'echo x >new; mv -f new cfg/tongs/config.toml',
    'echo x >new; ln -sf ../../new cfg/tongs/config.toml; ln -f new cfg/tongs/config.toml',
    'rm -rf cfg/tongs; mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml',
    'mv cfg/tongs cfg/away; mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml',
    'mv cfg away; mkdir -p cfg/tongs; echo x >cfg/tongs/config.toml',
    'rm -rf cfg; ln -s evil cfg; mkdir -p evil/tongs; echo x >evil/tongs/config.toml',
  ]

  it.for(someOf(USERS, 1))('are hidden from commands and cannot be replaced, as %s', async (user) => {
    const { at, put, batch } = makeMachine(user)
    const secret = '# only for Tongs 4711\n'
    put('work/cfg/tongs/config.toml', secret)
    const rows = await batch(
      LINES.map((line) => ({ name: 'run_shell', args: { cmd: ['sh', '-c', `${line}; true`] } })),
      { env: { XDG_CONFIG_HOME: at('work/cfg') } },
    )
    expect(new Set(rows.map(codeOf)).difference(new Set(['ok', 'denied_pattern']))).toEqual(new Set())
    expect(JSON.stringify(rows)).not.toContain('4711')
    expect(lstatSync(at('work/cfg')).isDirectory()).toBe(true)
    expect(readFileSync(at('work/cfg/tongs/config.toml'), 'utf8')).toBe(secret)
  })

  it.for(LINES)('would be read or replaced without the sandbox: %s', (line) => {
    const { at, put } = makeMachine('root')
    put('work/cfg/tongs/config.toml', '4711')
    const out = execFileSync('sh', ['-c', `${line}; true`], {
      cwd: at('work'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(out.includes('4711') || readFileSync(at('work/cfg/tongs/config.toml'), 'utf8') !== '4711').toBe(
      true,
    )
  })

  it.for(
    someOf(
      USERS.flatMap((user) => [
        [user, 'auto', 'belongs to Tongs itself'] as const,
        [user, 'off', 'settings of Tongs'] as const,
      ]),
      2,
    ),
  )('that do not exist yet do not come from a command, as %s with layer %s', async ([user, layer, says]) => {
    const { at, sh } = makeMachine(user)
    const options = {
      env: { XDG_CONFIG_HOME: at('work/cfg') },
      words: ['--set', `tools.shell.layer=${layer}`],
    }
    const made = await sh(
      `mkdir -p cfg/tongs && printf '${LOOSE.replaceAll('\n', '\\n')}' >cfg/tongs/config.toml; sleep 5`,
      options,
    )
    expect(JSON.stringify(made)).toContain(says)
    expect(existsSync(at('work/cfg/tongs/config.toml'))).toBe(false)
  })

  it('that were named for this run can be read and not changed', async () => {
    const { at, put, batch } = makeMachine('root')
    const file = put('work/ci.toml', '[tools]\napproval.mode = "prompt"\n')
    const rows = await batch(
      [
        { name: 'read_file', args: { path: 'ci.toml' } },
        { name: 'write_file', args: { path: 'ci.toml', content: LOOSE } },
        {
          name: 'run_shell',
          args: { cmd: ['sh', '-c', 'cat ci.toml; echo x >ci.toml; mv ci.toml away; rm -f ci.toml'] },
        },
      ],
      { words: ['--config', file, ...GO_ON] },
    )
    expect(rows.map(codeOf)).toEqual(['ok', 'denied_pattern', 'denied_pattern'])
    expect(rows[2]?.content).toContain('prompt')
    expect(readFileSync(at('work/ci.toml'), 'utf8')).toContain('prompt')
  })
})

describe('the configuration of a project', () => {
  const LOCK = '[tools.sandbox]\ndenied_patterns = ["locked/**"]\n'
  const LINES = [
    'echo >.tongs.toml',
    'rm -f .tongs.toml',
    'mv .tongs.toml away',
    'echo >new; mv -f new .tongs.toml',
    'ln -sf new .tongs.toml',
  ]

  it.for(someOf(USERS, 1))(
    'is still in force after everything that a model could try, as %s',
    async (user) => {
      const { at, put, batch } = makeMachine(user)
      put('work/.tongs.toml', LOCK)
      put('work/loose.toml', LOOSE)
      put('work/locked/a.txt', '4711')
      const edits = await batch(
        [
          ['read_file', { path: '.tongs.toml' }],
          ['write_file', { path: '.tongs.toml', content: '' }],
          ['write_file', { path: '.TONGS.toml', content: '' }],
          ['delete_path', { path: '.tongs.toml' }],
          ['move_path', { from: '.tongs.toml', to: 'away' }],
          ['apply_patch', { patch: 'LP1\nF .tongs.toml\nT\nx\n.\nEND\n' }],
        ].map(([name, args]) => ({ name, args })),
      )
      expect(edits.map(codeOf)).toEqual(['ok', ...Array.from({ length: 5 }, () => 'denied_pattern')])
      // Where it changed the file, nothing of it lands.
      const ran = await batch(
        LINES.map((line) => ({ name: 'run_shell', args: { cmd: ['sh', '-c', `${line}; echo ran`] } })),
      )
      for (const row of ran) expect(JSON.stringify(row)).toContain('ran\\n')
      expect(readFileSync(at('work/.tongs.toml'), 'utf8')).toBe(LOCK)
      expect((await batch([{ name: 'read_file', args: { path: 'locked/a.txt' } }])).map(codeOf)).toEqual([
        'denied_pattern',
      ])
    },
  )

  it.for(someOf(USERS, 1))(
    'cannot be made where there is none, because what it says is for a person to decide, as %s',
    async (user) => {
      const { batch, at } = makeMachine(user)
      const made = await batch(
        [
          { name: 'write_file', args: { path: '.tongs.toml', content: LOCK } },
          { name: 'run_shell', args: { cmd: ['sh', '-c', 'echo > .tongs.toml'] } },
          { name: 'run_shell', args: { cmd: ['sh', '-c', 'echo > x; mv x .tongs.toml'] } },
        ],
        { words: GO_ON },
      )
      expect(made.map(codeOf)).toEqual(['denied_pattern', 'denied_pattern', 'denied_pattern'])
      expect(existsSync(at('work/.tongs.toml'))).toBe(false)
    },
  )
})
