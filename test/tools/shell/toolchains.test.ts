import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'

const SECRET = 'only-next-door-4711'
const agreed = { approve: (requests: readonly unknown[]) => requests.map(() => 'once' as const) }

afterEach(() => void vi.unstubAllEnvs())

/** A bench with a home that has these files, and these folders of it on PATH. */
function benchWith(files: Readonly<Record<string, string>>, folders: readonly string[]) {
  const b = bench()
  const home = join(b.top, 'home')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text, { mode: 0o755 })
  }
  const path = [...folders.map((folder) => join(home, folder)), '/usr/bin', '/bin'].join(':')
  vi.stubEnv('HOME', home)
  vi.stubEnv('PATH', path)
  const run = async (...cmd: readonly string[]): Promise<string> => {
    const { stdout, stderr } = outputOf(await b.call('run_shell', { cmd }, agreed)) as Record<string, string>
    return `${stdout}${stderr}`
  }
  return { home, path, run }
}

const script = (line: string): string => `#!/bin/sh\n${line}\n`

describe('a folder of programs on PATH', () => {
  const FILES = {
    'dotfiles/bin/hello': script('echo hello; cat "$(dirname "$0")/../lib/data"'),
    'dotfiles/lib/data': 'data\n',
    'dotfiles/.ssh/id_rsa': SECRET,
    'dotfiles/notes.txt': SECRET,
    'dotfiles/git/token': SECRET,
    'dotfiles/bin/.env': SECRET,
    'dotfiles/bin/server.pem': SECRET,
    'dotfiles/lib/a/b/c/d/.npmrc': SECRET,
    'dotfiles/lib/.netrc': SECRET,
    'dotfiles/lib/.aws/credentials': SECRET,
    'scripts/tool': script('echo tool'),
    'scripts/.tokens/x': SECRET,
    'scripts/.token': SECRET,
    'scripts/sub/id_ed25519': SECRET,
    'store/1/bin/linked': script('echo linked'),
    'store/1/lib/.netrc': SECRET,
  }
  const FOLDERS = ['dotfiles/bin', 'scripts', 'alias/bin']

  it('lends commands its programs, and nothing personal that lies in it or next to it', async () => {
    const { home, run, path } = benchWith(FILES, FOLDERS)
    symlinkSync('store/1', join(home, 'alias'))
    const look = `grep -rs ${SECRET} ${home} /home /root | head; hello; tool; linked`
    expect(await run('sh', '-c', look)).toBe('hello\ndata\ntool\nlinked\n')
    // Without the sandbox, all of it is found.
    const found = execFileSync('sh', ['-c', `grep -rlsa ${SECRET} ${home}`], {
      encoding: 'utf8',
      env: { PATH: path },
    })
    expect(found.trim().split('\n')).toHaveLength(
      Object.values(FILES).filter((text) => text === SECRET).length,
    )
  })
})

describe('a toolchain in the home folder works', () => {
  it('as a version of node that a manager installed', async () => {
    const prefix = '.nvm/versions/node/v24.0.0'
    const { home, run } = benchWith(
      {
        [`${prefix}/lib/node_modules/say/index.js`]: "module.exports = () => console.log('said')\n",
        [`${prefix}/lib/node_modules/say/cli.js`]: "#!/usr/bin/env node\nrequire('./index.js')()\n",
        [`${prefix}/bin/README`]: '',
        '.nvm/.npmrc': SECRET,
      },
      [`${prefix}/bin`],
    )
    copyFileSync(process.execPath, join(home, prefix, 'bin/node'))
    symlinkSync('../lib/node_modules/say/cli.js', join(home, prefix, 'bin/say'))
    expect(await run('say')).toBe('said\n')
    expect(await run('sh', '-c', `ls -A ${home} ${home}/.nvm`)).not.toContain('npmrc')
  })

  it('as shims that find a version, as those of pyenv do', async () => {
    const { run } = benchWith(
      {
        '.pyenv/shims/python9': script('exec "$(dirname "$0")/../libexec/pyenv" exec "$@"'),
        '.pyenv/libexec/pyenv': script(
          'd="$(dirname "$0")/.."; exec "$d/versions/$(cat "$d/version")/bin/python9"',
        ),
        '.pyenv/version': '9.1\n',
        '.pyenv/versions/9.1/bin/python9': script('cat "$(dirname "$0")/../lib/python9/os.py"'),
        '.pyenv/versions/9.1/lib/python9/os.py': 'the library\n',
      },
      ['.pyenv/shims'],
    )
    expect(await run('python9')).toBe('the library\n')
  })

  it('as cargo and its toolchains, without its credentials', async () => {
    const { run } = benchWith(
      {
        '.cargo/bin/cargo': script(
          'cat "$(dirname "$0")/../registry/src/x/lib.rs" "$(dirname "$0")/../../.rustup/toolchains/stable/lib/x" "$(dirname "$0")/../credentials.toml"',
        ),
        '.cargo/registry/src/x/lib.rs': 'crate\n',
        '.cargo/credentials.toml': SECRET,
        '.rustup/toolchains/stable/lib/x': 'toolchain\n',
      },
      ['.cargo/bin'],
    )
    expect(await run('cargo')).toMatch(
      /^crate\ntoolchain\ncat: .*credentials\.toml: No such file or directory\n$/,
    )
  })
})
