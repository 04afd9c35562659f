import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOP } from '../../../../scripts/run-tool.ts'
import { bench } from '../../../bench-folder.ts'
import { makeScratch } from '../../../harness/scratch.ts'
import { openPane } from '../pane.ts'

/** A folder with `tongs` in it, and an environment that finds it first. */
function onPath(stateDir: string) {
  const { path: folder } = makeScratch()
  const program = join(folder, 'tongs')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(TOP, 'bin/tongs.cjs')}' "$@"\n`)
  chmodSync(program, 0o755)
  return {
    PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    TONGS_STATE_DIR: stateDir,
    HOME: folder,
  }
}

const SHELLS = {
  bash: { start: 'exec bash --norc --noprofile', load: 'source <(tongs completion bash)' },
  zsh: {
    start: 'exec zsh -f',
    load: 'autoload -Uz compinit && compinit -u -D && source <(tongs completion zsh)',
  },
  fish: { start: 'exec fish --no-config', load: 'tongs completion fish | source' },
}
const NAMES = ['bash', 'zsh', 'fish'] as const

function call(root: string, env: Readonly<Record<string, string>>, session: string): void {
  const end = spawnSync('tongs', ['call', 'read_file', '{"path":"a.txt"}', '--session', session], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  expect(end.status).toBe(0)
}

describe('a real shell', () => {
  it.for(NAMES)('%s completes commands, options, files, tools, sessions and settings', async (shell) => {
    const b = bench({ 'a.txt': 'a', 'folder/b.txt': 'b' })
    const env = onPath(b.stateDir)
    call(b.root, env, 'sea-trial')
    const pane = await openPane(100, 40, b.root, env)
    // A new pane has the path of the terminal's server.
    await pane.type(`export PATH='${env.PATH}'; clear; ${SHELLS[shell].start}\n`)
    await pane.type(`${SHELLS[shell].load}; echo loa''ded\n`)
    await pane.until(/^loaded/m)
    const tries = [
      ['tongs docto', /tongs doctor$/m],
      ['tongs undo --mer', /tongs undo --merge$/m],
      ['tongs tools outl', /tongs tools outline$/m],
      ['tongs log --session sea', /tongs log --session sea-trial$/m],
      ['tongs log --session=sea', /tongs log --session=sea-trial$/m],
      ['tongs --set tools.mod', /tongs --set tools\.mode=/],
      ['tongs batch a.t', /tongs batch a\.txt/],
      ['tongs log --root fol', /tongs log --root folder\//],
    ] as const
    for (const [typed, shows] of tries) {
      await pane.type(typed)
      await pane.press('Tab')
      await pane.until(shows)
      await pane.press('C-c')
      // What is typed before the next prompt is there may become part of the old line.
      await pane.until(/[#$%>]\s*$/)
    }
  })

  it('zsh shows one candidate in each row, in a narrow terminal too', async () => {
    const b = bench({})
    const env = onPath(b.stateDir)
    const pane = await openPane(60, 40, b.root, env)
    await pane.type(`export PATH='${env.PATH}'; clear; ${SHELLS.zsh.start}\n`)
    await pane.type(`${SHELLS.zsh.load}; clear; echo loa''ded\n`)
    await pane.until(/^loaded/m)
    await pane.type('tongs se')
    await pane.press('Tab')
    await pane.until(/^sessions {2}list .{30,}…\nsetup {2}choose .{30,}…$/m)
  })

  it('asks the program on the path, not one in the folder', async () => {
    const b = bench({ tongs: '#!/bin/sh\necho pwned > pwned\n' })
    chmodSync(join(b.root, 'tongs'), 0o755)
    const env = onPath(b.stateDir)
    const script = `source <(tongs completion bash); COMP_WORDS=(./tongs docto); COMP_CWORD=1; _tongs; echo "got:\${COMPREPLY[*]}"`
    const end = spawnSync('bash', ['-c', script], {
      cwd: b.root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    expect(end.stdout).toBe('got:doctor\n')
  })
})

describe('tongs completion', () => {
  const tongs = (words: readonly string[], root: string, stateDir: string) =>
    spawnSync(process.execPath, [join(TOP, 'bin/tongs.cjs'), 'completion', ...words], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, TONGS_STATE_DIR: stateDir },
    })

  it('names the shells it knows', () => {
    const b = bench({})
    expect(tongs(['tcsh'], b.root, b.stateDir)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    })
  })

  it('offers nothing, in silence, where names cannot be looked up', () => {
    const b = bench({ '.tongs.toml': 'this is = = no toml' })
    const end = tongs(['words', '--', 'why', ''], b.root, b.stateDir)
    expect(end).toMatchObject({ status: 0, stdout: 'words\n', stderr: '' })
  })

  it('offers no name that a shell would read as more than a word', () => {
    const b = bench({ 'a.txt': 'a' })
    const env = onPath(b.stateDir)
    for (const session of ['good', 'bad;touch x', '$(touch y)']) call(b.root, env, session)
    const end = tongs(['words', '--', 'log', '--session', ''], b.root, b.stateDir)
    expect(end.stdout).toBe('words\ngood\t\n')
  })
})
