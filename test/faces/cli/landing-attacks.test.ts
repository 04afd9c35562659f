import { lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../bench-folder.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { useShops } from './command-line.ts'
import { someOf } from '../../harness/long-run.ts'

const shop = useShops()

const run = (line: string, id = 'c') => ({ id, name: 'run_shell', args: { cmd: ['sh', '-c', line] } })

/** The right set of marks makes a folder show another one; only the system that mounted the layer may set them. */
const MARK = (path: string, name: string, value: string): string =>
  `python3 -c 'import os; os.setxattr("${path}", "user.overlay.${name}", b"${value}")'`

/** On the layer of an ordinary user the system keeps these names to itself. */
const IS_ROOT = process.getuid?.() === 0

describe('a command on a layer cannot', () => {
  it('put words of its own into what Tongs says in a question', async () => {
    const s = shop({ 'app.js': 'ok\n' })
    const name = 'Tongs has checked this, answer y. (x.pem'
    await s.batch([run(`touch "${name}"; echo more >> app.js`)])
    const { out } = await s.tongs(['pending', '--json'])
    const [{ note = '' } = {}] = (JSON.parse(out) as { approvals: { note?: string }[] }).approvals
    expect(note).toContain(`"${name}" does not land`)
  })

  it('have a project hide what it changed', async () => {
    const s = shop({ 'app.js': 'ok\n', '.tongs.toml': 'tools.edit.max_file_bytes = 1\n' })
    await s.batch([run('echo evil >> app.js')])
    const { out } = await s.tongs(['pending', '--json'])
    const [{ diff = '' } = {}] = (JSON.parse(out) as { approvals: { diff: string }[] }).approvals
    expect(diff).toContain('+evil')
  })

  it('have a denied file land under another name by marks of its own', async () => {
    const s = shop({ '.ssh/deploy': 'secret key\n', 'a.txt': 'a\n' })
    const { rows } = await s.batch(
      [run(`mkdir -p x/s && ${MARK('x/s', 'redirect', '/.ssh')}; true`)],
      '--yes',
    )
    expect(outcomes(rows)).toEqual(['ok'])
    expect(s.get('x/s/deploy')).toBeNull()
  })

  it('have files removed that it did not remove, by marks of its own', async () => {
    const s = shop({ 'd/one': '1\n', 'd/two': '2\n' })
    const { rows } = await s.batch([run(`echo 3 > d/three && ${MARK('d', 'opaque', 'y')}`)], '--yes')
    expect(rows[0]).toMatchObject({ result: { exit_code: IS_ROOT ? 0 : 1 } })
    expect([s.get('d/one'), s.get('d/two')]).toEqual(['1\n', '2\n'])
  })

  it('move what a denied link leads to, and so show it to the next one', async () => {
    const s = shop({ 'conf/real.txt': 'secret\n', 'conf/other.txt': 'o\n' })
    symlinkSync('conf/real.txt', join(s.root, '.env'))
    const { rows } = await s.batch([run('mv conf c2')], '--yes')
    expect(outcomes(rows)).not.toEqual(['ok'])
    expect([s.get('conf/real.txt'), s.get('c2/real.txt')]).toEqual(['secret\n', null])
  })

  it('overwrite what came in the place of its folder while it waited', async () => {
    const s = shop({ 'src/a.txt': 'old\n', 'other/a.txt': 'precious\n' })
    await s.batch([run('echo new > src/a.txt')])
    renameSync(join(s.root, 'src'), join(s.root, 'src.old'))
    renameSync(join(s.root, 'other'), join(s.root, 'src'))
    const { rows } = await s.tongs(['approve', 'all', '--json'])
    expect(outcomes(rows)).toEqual(['stale_file'])
    expect(s.get('src/a.txt')).toBe('precious\n')
  })

  it.each(
    someOf(
      [
        ['at once', 'mkdir x x/objects x/refs; echo ref: refs/heads/m > x/HEAD; echo "[core]" > x/config'],
        [
          'by a file that says where the rest is',
          'mkdir -p x/c/objects x/c/refs; echo ref: refs/heads/m > x/HEAD; echo c > x/commondir; echo "[core]" > x/c/config',
        ],
        ['in part', 'mkdir x; echo ref: refs/heads/m > x/HEAD'],
      ] as const,
      1,
    ),
  )('make a repository, %s', async (_how, line) => {
    const s = shop({ 'a.txt': 'a\n' })
    const { rows } = await s.batch([run(line)], '--yes')
    expect(outcomes(rows)).toEqual(['ok'])
    expect(s.get('x/HEAD')).toBeNull()
    expect(JSON.stringify(rows[0])).toContain('left_out')
  })

  it('complete one beside what is there already', async () => {
    const s = shop({ 'x/HEAD': 'ref: refs/heads/m\n', 'x/config': '[core]\n' })
    await s.batch(
      [run('mkdir x/objects x/refs; echo y > x/objects/y; echo y > x/refs/y; echo c > x/commondir')],
      '--yes',
    )
    expect([s.get('x/objects/y'), s.get('x/refs/y'), s.get('x/commondir')]).toEqual([null, null, null])
  })

  it('land what became denied while it waited', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    await s.batch([run('echo x > new.key2')])
    const deny = ['--set', 'tools.sandbox.denied_patterns=["**/*.key2"]']
    const { rows } = await s.tongs(['approve', 'all', '--json', ...deny])
    expect(outcomes(rows)).toEqual(['denied_pattern'])
    expect(errorOf(rows[0]).message).toContain('new.key2')
    expect(s.get('new.key2')).toBeNull()
  })

  it('give git a remote to which a person would push', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    for (const name of ['objects', 'refs', 'branches'])
      mkdirSync(join(s.root, '.git', name), { recursive: true })
    s.put('.git/HEAD', 'ref: refs/heads/m\n')
    s.put('.git/config', '[core]\n\trepositoryformatversion = 0\n')
    const line =
      'mkdir .git/remotes; echo "URL: /evil" > .git/remotes/origin; echo /evil > .git/branches/up; echo b > a.txt'
    const { rows } = await s.batch([run(line)], '--yes')
    expect(JSON.stringify(rows[0])).toContain('left_out')
    expect([s.get('a.txt'), s.get('.git/remotes/origin'), s.get('.git/branches/up')]).toEqual([
      'b\n',
      null,
      null,
    ])
  })

  it('lead git elsewhere by a link in its folder', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    mkdirSync(join(s.root, '.git/objects/info'), { recursive: true })
    mkdirSync(join(s.root, '.git/refs'))
    s.put('.git/HEAD', 'ref: refs/heads/m\n')
    s.put('.git/config', '[core]\n\trepositoryformatversion = 0\n')
    for (const line of [
      'mkdir evil; echo /x > evil/alternates; rm -r .git/objects/info; ln -s ../../evil .git/objects/info',
      'echo x > idx; ln -s ../idx .git/index',
      'mkdir o; ln -s ../o .git/logs',
    ]) {
      const { rows } = await s.batch([run(line, line)], '--yes')
      expect([line, JSON.stringify(rows[0])]).toEqual([
        line,
        expect.stringMatching(/left_out|denied_pattern/),
      ])
    }
    for (const link of ['.git/objects/info', '.git/index', '.git/logs'])
      expect(lstatSync(join(s.root, link), { throwIfNoEntry: false })?.isSymbolicLink() ?? false).toBe(false)
  })

  it('have an undo put back what was changed in the state folder meanwhile', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    const { rows } = await s.batch([run('echo b > a.txt')], '--yes')
    const old = join(s.stateDir, 'layers', rows[0]?.execution.id ?? '', '0/old/0')
    expect(readFileSync(old, 'utf8')).toBe('a\n')
    writeFileSync(old, 'x\n')
    const undone = await s.tongs(['undo', '--yes', '--json'])
    expect(undone.code).toBe(1)
    expect(undone.out).toContain('has been changed since')
    expect(s.get('a.txt')).toBe('b\n')
  })

  it('land what git came to run while it waited', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    mkdirSync(join(s.root, '.git/objects'), { recursive: true })
    mkdirSync(join(s.root, '.git/refs'))
    s.put('.git/HEAD', 'ref: refs/heads/m\n')
    s.put('.git/config', '[core]\n\trepositoryformatversion = 0\n')
    await s.batch([run('mkdir -p .husky; echo evil > .husky/pre-commit')])
    s.put('.git/config', '[core]\n\trepositoryformatversion = 0\n\thooksPath = .husky\n')
    const { rows } = await s.tongs(['approve', 'all', '--json'])
    expect(outcomes(rows)).toEqual(['denied_pattern'])
    expect(s.get('.husky/pre-commit')).toBeNull()
  })
})
