import { execFileSync, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeFiles } from '../../harness/layers/describe-files.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { landAndBack, shellCall } from './land-command.ts'
import { makeMachine, outputOf } from './machine.ts'
import { putMarked } from './marked-file.ts'
import { roundsOf, someOf } from '../../harness/long-run.ts'

const isLong = process.env['TONGS_LONG'] === '1'
const TIMEOUT_MS = 1_800_000
const shop = useShops()

const inRoot = (s: Shop, line: string): string =>
  execFileSync('sh', ['-c', line], { cwd: s.root, encoding: 'utf8', stdio: 'pipe' })

describe('odd work of a command lands, and is undone and redone', () => {
  it('files replaced by folders and links, and the reverse', async () => {
    const s = shop({ file: 'f\n', 'folder/in/deep': 'd\n', 'target/x/y': 'y\n' })
    mkdirSync(join(s.root, '../outside'))
    symlinkSync('target', join(s.root, 'link'))
    symlinkSync('../outside', join(s.root, 'out'))
    await landAndBack(
      s,
      'rm file; mkdir -p file/a/b; echo 1 > file/a/b/c; rm -r folder; ln -s file folder; ' +
        'rm link; mkdir -p link/x; echo 2 > link/x/y; rm out; mkdir -p out/deep; echo 3 > out/deep/er',
    )
    expect(s.get('target/x/y')).toBe('y\n')
    expect(describeFiles(join(s.root, '../outside')).size).toBe(0)
  })

  it('writes through a link out of the workspace stay without effect', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    mkdirSync(join(s.root, '../outside'))
    writeFileSync(join(s.root, '../outside/kept'), 'kept\n')
    symlinkSync(join(s.root, '../outside'), join(s.root, 'out'))
    await landAndBack(s, 'echo evil > out/kept; echo evil > out/new; ln -s /etc/passwd etc; echo b > a.txt')
    expect(inRoot(s, 'cat ../outside/*')).toBe('kept\n')
    expect(inRoot(s, 'readlink etc')).toBe('/etc/passwd\n')
  })

  it('a command that leaves children and open files behind', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    const mark = `3${String(process.pid).padStart(8, '0')}`
    await landAndBack(
      s,
      `(exec 3>>open.txt; echo said >&3; sleep ${mark}) >/dev/null 2>&1 & while ! [ -s open.txt ]; do :; done; echo b > a.txt`,
    )
    expect(s.get('open.txt')).toBe('said\n')
    expect(spawnSync('pgrep', ['-f', `sleep ${mark}`]).status).toBe(1)
  })

  it('a database that is mapped into memory', async () => {
    const s = shop()
    inRoot(s, 'sqlite3 data.db "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)"')
    await landAndBack(
      s,
      `sqlite3 data.db "PRAGMA mmap_size=100000000; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000) INSERT INTO t SELECT i FROM n; SELECT count(*) FROM t"`,
    )
    expect(inRoot(s, 'sqlite3 data.db "PRAGMA integrity_check; SELECT count(*) FROM t"')).toBe('ok\n5001\n')
  })

  it('one byte of a large file', { timeout: TIMEOUT_MS }, async () => {
    const s = shop({ 'big.bin': 'begins' })
    truncateSync(join(s.root, 'big.bin'), isLong ? 2 * 1024 ** 3 : roundsOf(32, 128) * 1024 ** 2)
    const { asked } = await landAndBack(
      s,
      'printf x | dd of=big.bin bs=1 seek=30000000 conv=notrunc status=none',
    )
    expect(asked.changes).toEqual([{ path: 'big.bin', change: 'modified' }])
    expect(inRoot(s, 'dd if=big.bin bs=1 skip=29999999 count=3 status=none | od -An -c').trim()).toBe(
      '\\0   x  \\0',
    )
  })

  it('the deletion of very many files', { timeout: TIMEOUT_MS }, async () => {
    const count = isLong ? 100_000 : roundsOf(1_000, 4_000)
    const s = shop({ 'a.txt': 'a\n' })
    inRoot(
      s,
      `mkdir -p many/$(seq -s ' many/' 1 20 | cut -c1-) && seq 1 ${count} | while read n; do echo $n > many/$((n % 20 + 1))/$n; done`,
    )
    const { asked, before, after } = await landAndBack(s, 'rm -r many')
    expect(before.size).toBeGreaterThan(count)
    expect(after.size).toBe(1)
    expect(asked.changes.length).toBeGreaterThan(0)
  })

  it('a build, which is up to date after landing, and after undo and redo', async () => {
    const s = shop({ 'in.c': 'one', Makefile: 'out: mid\n\tcp mid out\nmid: in.c\n\tcp in.c mid\n' })
    await landAndBack(s, 'make')
    expect(spawnSync('make', ['-q'], { cwd: s.root }).status).toBe(0)
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(spawnSync('make', ['-q'], { cwd: s.root }).status).toBe(1)
    expect((await s.tongs(['redo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(spawnSync('make', ['-q'], { cwd: s.root }).status).toBe(0)
  })
})

const ME = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; '

const SECRETS = {
  '.env': 'KEY=secret-word\n',
  'app/.npmrc': 'token=secret-word\n',
  '.ssh/config': 'Host secret-word\n',
  '.ssh/keys/id': 'secret-word\n',
}

/**
 * A repository that tracks files that no command may read, with a branch to be rebased. Git reads a file again that is as
 * young as its index, whatever its size and time say, and one that has another time.
 */
const AGES: Readonly<Record<string, string>> = {
  'long ago': 'touch -d @1000000000 .env app/.npmrc .ssh/config && git update-index -q --refresh',
  'just now':
    'touch -d "@$(stat -c %Y .env)" .git/index app/.npmrc .ssh/config .ssh/keys/id && touch -d "@$(stat -c %Y .env)" .git/index',
  'at another time than git knows':
    'touch -d @1000000000 .env .ssh/config && touch -d @2000000000 app/.npmrc .ssh/keys/id',
}

function secretive(age: string): Shop {
  const s = shop()
  const upstream = join(s.root, '../upstream')
  for (const name of ['app', '.ssh/keys']) mkdirSync(join(upstream, name), { recursive: true })
  for (const [name, text] of Object.entries({ 'a.txt': 'a\n', ...SECRETS }))
    writeFileSync(join(upstream, name), text)
  inRoot(
    s,
    `cd ../upstream && ${ME} git init -q -b main && git add -Af && git commit -qm one && git checkout -qb topic && echo t > topic.txt && git add -A && git commit -qm topic && git checkout -q main && echo m > main.txt && git add -A && git commit -qm two && git checkout -q topic && git clone -q . ../root && cd ../root && git branch -q main origin/main && ${AGES[age]}`,
  )
  return s
}

const secretsIn = (s: Shop) => Object.fromEntries(Object.keys(SECRETS).map((name) => [name, s.get(name)]))

describe.each(someOf(Object.keys(AGES), 1))(
  'git with tracked files of %s that no command may read',
  (age) => {
    it('shows one as changed that was changed', async () => {
      const s = secretive(age)
      s.put('.env', 'KEY=other\n')
      const { rows } = await s.batch([shellCall('git status --porcelain')])
      expect(rows[0]).toMatchObject({ ok: true, result: { stdout: ' M .env\n', changes: [] } })
    })

    it.each(
      someOf(
        [
          ['status', 'git status --porcelain', null],
          ['add -A', `${ME} echo b > a.txt; git add -A; git status --porcelain`, 'M  a.txt\n'],
          ['commit -a', `${ME} echo b > a.txt; git commit -qam two; git status --porcelain`, ''],
          ['stash', `${ME} echo b > a.txt; git stash -q; git status --porcelain`, ''],
          [
            'stash and pop',
            `${ME} echo b > a.txt; git stash -q && git stash pop -q; git status --porcelain`,
            ' M a.txt\n',
          ],
          ['rebase', `${ME} git rebase -q main; git status --porcelain; git log --format=%s`, ''],
          ['checkout of another branch', 'git checkout -q main; git status --porcelain', ''],
        ] as const,
        3,
      ),
    )('%s leaves them alone', async (_name, line, status) => {
      const s = secretive(age)
      if (status === null) {
        const { rows } = await s.batch([shellCall(`${line}; cat .env app/.npmrc .ssh/config .ssh/keys/id`)])
        expect(rows[0]).toMatchObject({ ok: true, result: { stdout: '', changes: [] } })
        expect(JSON.stringify(rows)).not.toContain('secret-word')
        return
      }
      const { asked } = await landAndBack(s, line)
      expect(asked.changes.map(({ path }) => path)).not.toContain('.env')
      expect(asked.diff).not.toContain('secret-word')
      expect(secretsIn(s)).toEqual(SECRETS)
      expect(inRoot(s, 'git status --porcelain')).toBe(status)
      inRoot(s, 'git fsck --strict')
    })
  },
)

describe('what an ordinary user closes to itself does not keep the rest from landing', () => {
  it.for(someOf(['', 'copy'], 1))(
    'the root, and a new file of a name that is not UTF-8 (%s)',
    async (rung) => {
      const machine = makeMachine('ordinary')
      machine.put('work/a.txt', 'a\n')
      if (rung === 'copy') putMarked(machine, 'marked', 'metacopy', 'x')
      const odd = "$(printf 'o\\377')"
      const ran = outputOf(await machine.sh(`echo b >>a.txt; printf x >"${odd}"; chmod 0 "${odd}" .`))
      expect(ran).toMatchObject({
        layer: rung === 'copy' ? 'copy' : 'overlay',
        changes: [
          { path: 'a.txt', change: 'modified' },
          { path: 'o\uFFFD', change: 'created' },
        ],
      })
      expect(readFileSync(machine.at('work/a.txt'), 'utf8')).toBe('a\nb\n')
      expect(lstatSync(machine.at('work')).mode & 0o700).toBe(0o700)
      await machine.tongs(['undo', '--yes'])
      expect(readFileSync(machine.at('work/a.txt'), 'utf8')).toBe('a\n')
    },
  )
})
