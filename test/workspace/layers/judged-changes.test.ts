import { existsSync, lstatSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWithAttributes, setFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { findNative } from '../../../src/host/native/load-native.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { readAttributesOf } from '../../../src/workspace/layers/read-attributes.ts'
import { benchWith, refusalOf } from './bench-with.ts'
import { someOf } from '../../harness/long-run.ts'

describe('denied names in what a command changed', () => {
  it('do not land, and are named with why', async () => {
    const bench = benchWith(
      'echo 1 >a',
      'echo s >.env; mkdir -p d/.ssh; echo k >d/.ssh/k; echo p >d/x.pem; echo 2 >a',
    )
    const { shown, changes, leftOut } = await bench.read()
    expect(shown).toEqual([{ path: 'a', change: 'modified' }])
    expect(changes.map(({ path }) => path)).toEqual(['a', 'd'])
    expect(leftOut).toEqual([
      { path: '.env', why: 'it is denied by the pattern **/.env' },
      { path: 'd/.ssh', why: 'it is denied by the pattern **/.ssh/**' },
      { path: 'd/x.pem', why: 'it is denied by the pattern **/*.pem' },
    ])
    expect(existsSync(join(bench.upper, '.env'))).toBe(false)
    expect(existsSync(join(bench.upper, 'd/.ssh'))).toBe(false)
  })

  it.for(
    someOf(
      [
        ['echo 1 >.env', 'echo 2 >.env', '.env would have been changed'],
        ['echo 1 >.env', 'chmod 600 .env', '.env would have been changed'],
        ['echo 1 >.env', 'rm .env', '.env would have been removed'],
        ['mkdir d; echo 1 >d/.env', 'rm -r d', 'd/.env would have been removed'],
        ['mkdir d; echo 1 >d/.env', 'mv d e', 'd/.env would have been removed'],
        ['echo 1 >.env', 'rm .env; ln -s a .env', '.env would have been changed'],
        ['echo 1 >a', 'mv a .env', 'moved to .env'],
        ['mkdir d; echo 1 >d/a', 'mv d .ssh', 'moved to .ssh/a'],
        ['mkdir d; echo 1 >d/a', 'mkdir n; mv d n/.aws', 'moved to n/.aws/a'],
        ['echo 1 >a', 'mv a .env; echo 2 >>.env', 'moved to .env'],
        ['echo 1 >a', 'cp a .env; rm a', 'moved to .env'],
      ] as const,
      4,
    ),
  )('refuse everything if after `%s` a command does `%s`', async ([prepare, script, why]) => {
    const refusal = await refusalOf(benchWith(prepare, script).read())
    expect(refusal).toMatch(/^denied_pattern: Nothing was landed: /)
    expect(refusal).toContain(why)
  })

  it('are left out where the same content stays elsewhere', async () => {
    const bench = benchWith('echo 1 >a; echo 2 >b', 'cp a .env; ln b .npmrc; mv a c')
    const { leftOut } = await bench.read()
    expect(leftOut.map(({ path }) => path)).toEqual(['.env', '.npmrc'])
  })

  it('refuse everything if the settings say so', async () => {
    const bench = benchWith('true', 'echo s >.env; echo 1 >a')
    const refusal = await refusalOf(bench.read({ onDenied: 'refuse' }))
    expect(refusal).toContain('denied_pattern: Nothing was landed: .env would have been created')
  })

  it('include what belongs to Tongs itself, whatever the settings say', async () => {
    const bench = benchWith('mkdir -p s/own', 'echo 1 >s/own/x')
    const own = [{ path: join(bench.root, 's/own'), as: 'hidden' }] as const
    expect(await refusalOf(bench.read({}, { own }))).toContain(
      's/own/x would have been changed, but it belongs to Tongs',
    )
  })
})

describe('what never lands', () => {
  it('is only counted, with the folders that were made for it', async () => {
    const bench = benchWith(
      'mkdir src; echo 1 >src/a.py; mkdir -p k/__pycache__; echo 0 >k/__pycache__/old',
      'mkdir -p src/__pycache__ n/m/__pycache__ e; echo c >src/__pycache__/a.pyc; echo c >n/m/__pycache__/b.pyc; rm k/__pycache__/old',
    )
    const { changes, thrownAway, leftOut, diff } = await bench.read()
    expect(changes.map(({ path }) => path)).toEqual(['e'])
    expect({ thrownAway, leftOut, diff }).toEqual({ thrownAway: 3, leftOut: [], diff: 'Folder created: e\n' })
    expect(existsSync(join(bench.upper, 'n'))).toBe(false)
    expect(existsSync(join(bench.upper, 'src/__pycache__'))).toBe(false)
  })

  it('goes with the folder that holds it', async () => {
    const bench = benchWith('mkdir -p d/__pycache__; echo 0 >d/__pycache__/x; echo 1 >d/a', 'rm -r d')
    const { changes, thrownAway } = await bench.read()
    expect(changes.map(({ path }) => path)).toEqual(['d', 'd/__pycache__', 'd/__pycache__/x', 'd/a'])
    expect(thrownAway).toBe(0)
  })

  it('is found by patterns at any depth, or from the root', async () => {
    const bench = benchWith(
      'true',
      'mkdir -p a/out/x out/x; echo 1 >a/out/x/f; echo 1 >out/x/f; echo 1 >a/b.tmp',
    )
    const { shown } = await bench.read({ throwaway: ['/out/**', '*.tmp'] })
    expect(shown.map(({ path }) => path)).toEqual(['a/out/x/f'])
  })
})

describe('files that are more than content', () => {
  it('are left out if they are sockets, pipes or devices', async () => {
    const script = `mkfifo p; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "s", Listen => 1)'; rm f; mkfifo f`
    const { changes, leftOut } = await benchWith('echo 1 >f', script).read()
    expect(leftOut.map(({ path }) => path)).toEqual(['f', 'p', 's'])
    expect(leftOut[0]?.why).toBe('it is a socket, a named pipe or a device')
    expect(changes.map(({ path, after }) => [path, after])).toEqual([['f', null]])
  })

  it('lose setuid and setgid bits, but a folder keeps the one it inherited', async () => {
    const bench = benchWith(
      'mkdir g; chmod 2775 g; echo 1 >old; chmod 755 old',
      'echo 1 >x; chmod 6755 x; chmod 4755 old; mkdir g/sub h; chmod 2755 h',
    )
    const { changes, notes } = await bench.read()
    expect(changes.map(({ path, after }) => [path, after?.mode])).toEqual([
      ['g/sub', 0o2755],
      ['h', 0o755],
      ['x', 0o755],
    ])
    expect(notes).toEqual(['landed without setuid and setgid bits: h, old, x'])
    expect(lstatSync(join(bench.upper, 'x')).mode & 0o7777).toBe(0o755)
  })

  it('land as links, with a note, if they lead out of the root', async () => {
    const { shown, notes } = await benchWith(
      'ln -s /etc out',
      'ln -s ../.. up; ln -s /etc/passwd p; ln -s a in; ln -s out/x far',
    ).read()
    expect(shown.map(({ path }) => path)).toEqual(['far', 'in', 'p', 'up'])
    expect(notes).toEqual(['links that lead out of the workspace: far, p, up'])
  })

  it('land as separate files, with a note, if they have several names', async () => {
    const bench = benchWith('echo 0 >o; ln o o2', 'echo 1 >a; mkdir d; ln a b; ln a d/c; echo 2 >o')
    const { notes } = await bench.read()
    expect(notes).toEqual([
      'hard links, which land as separate files: b, d/c',
      'had several names, the others keep the old content: o',
    ])
    const inodes = ['a', 'b', 'd/c'].map((path) => lstatSync(join(bench.upper, path)).ino)
    expect(new Set(inodes).size).toBe(3)
  })

  it('are refused if names differ only in case where the file system does not tell them apart', async () => {
    const bench = benchWith('echo 1 >read', 'echo 2 >Read')
    const refusal = await refusalOf(bench.read({}, { foldsCase: () => true }))
    expect(refusal).toContain('read and Read differ only in case')
    const moved = benchWith('echo 1 >read', 'mv read Read')
    expect(await refusalOf(moved.read({}, { foldsCase: () => true }))).toBe('not refused')
    expect(await refusalOf(bench.read())).toBe('not refused')
  })

  it('count as changed if only their extended attributes are other', async () => {
    const bench = benchWith('echo 1 >a; echo 2 >b; chmod 644 a b', 'touch b')
    const { uid, gid } = lstatSync(join(bench.root, 'a'))
    const attributes = new Map([['user.note', Buffer.from('new')]])
    const file = { name: 'a', content: Buffer.from('1\n'), mode: 0o644, uid, gid, attributes }
    expect(createWithAttributes(bench.upper, file)).toBe(true)
    const { shown, diff } = await bench.read()
    expect(shown).toEqual([{ path: 'a', change: 'modified' }])
    expect(diff).toBe('Attributes of a: user.note\n')
  })

  it('show the extended attributes of files that are too large to be read as a whole, with native code', async () => {
    const bench = benchWith('true', 'true')
    const { uid, gid } = lstatSync(bench.root)
    const attributes = new Map([['user.hidden', Buffer.from('x')]])
    const file = { name: 'large', content: Buffer.from('1\n'), mode: 0o644, uid, gid, attributes }
    expect(createWithAttributes(bench.upper, file)).toBe(true)
    truncateSync(join(bench.upper, 'large'), 70 * 1024 ** 2)
    const { diff } = await bench.read()
    expect(diff.includes('Attributes of large: user.hidden')).toBe(typeof findNative() !== 'string')
  })

  it('show their extended attributes also if they are new or their content changes', async () => {
    const bench = benchWith('echo 1 >a; echo 2 >b; chmod 644 a b', 'echo 3 >plain; mkdir d')
    const { uid, gid } = lstatSync(join(bench.root, 'a'))
    const give = (folder: string, name: string, content: string, attribute: string | null): void => {
      const attributes = new Map(attribute === null ? [] : [[attribute, Buffer.from('x')] as const])
      const file = { name, content: Buffer.from(content), mode: 0o644, uid, gid, attributes }
      expect(createWithAttributes(folder, file)).toBe(true)
    }
    give(bench.upper, 'a', 'one\n', 'user.hidden')
    give(bench.root, 'b', '2\n', 'user.old')
    give(bench.upper, 'b', 'two\n', null)
    give(bench.upper, 'new', 'n\n', 'user.brought')
    const { mode } = lstatSync(join(bench.upper, 'd'))
    const attributes = new Map([['user.folder', Buffer.from('x')]])
    expect(setFolderAttributes(join(bench.upper, 'd'), { mode: mode & 0o777, uid, gid, attributes })).toBe(
      true,
    )
    const { diff } = await bench.read()
    expect(diff.match(/^(?:Attributes|Folder).*/gm)).toEqual([
      'Attributes of a: user.hidden',
      'Attributes of b: user.old (removed)',
      'Folder created: d',
      'Attributes of d: user.folder',
      'Attributes of new: user.brought',
    ])
  })

  it('are refused if their extended attributes cannot be read', async () => {
    const bench = benchWith('true', 'echo 1 >a')
    const root = openRoot(bench.root)
    onTestFinished(root.close)
    const names = [{ path: 'gone', bytes: 0 }]
    expect(await readAttributesOf(root, names, () => undefined)).toEqual(new Map([['gone', new Map()]]))
    execFileSync('mkfifo', [join(bench.root, 'pipe')])
    const unreadable = {
      ...root,
      lendFolder: <T>(_: string, use: (path: string) => T): T => use('/proc/self'),
    }
    expect(await refusalOf(readAttributesOf(unreadable, [{ path: 'pipe', bytes: 0 }], () => undefined))).toBe(
      'execution_failed: Nothing was landed: the extended attributes of pipe cannot be read.',
    )
  })
})

describe('too many changes', () => {
  it('are refused, naming the biggest folders', async () => {
    const bench = benchWith(
      'true',
      'mkdir -p m/big m/small; head -c 5000 /dev/zero >m/big/x; echo 1 >m/small/y; echo 2 >z',
    )
    expect(await refusalOf(bench.read({ maxBytes: 4_000 }))).toBe(
      'limit_exceeded: Nothing was landed: the command changed 3 files with 4.9 KiB, and the limit is 3.9 KiB. Most of it is in m/big (4.9 KiB, 1 file), m/small (2 bytes, 1 file), . (2 bytes, 1 file).',
    )
    expect(await refusalOf(bench.read({ maxFiles: 2 }))).toContain('and the limit is 2 files')
    expect(await refusalOf(bench.read({ maxFiles: 3 }))).toBe('not refused')
  })

  it('are refused if folders are too deep in each other', async () => {
    const deep = 'for i in $(seq 270); do mkdir dd; cd -P dd; done'
    expect(await refusalOf(benchWith('true', deep).read())).toMatch(
      /^limit_exceeded: Nothing was landed: the command made more than 256 folders inside each other, in dd\/dd\//,
    )
    expect(await refusalOf(benchWith('true', deep.replace('270', '250')).read())).toBe('not refused')
  })

  it('are no longer read once that is cancelled', async () => {
    const bench = benchWith('true', 'echo 1 >a')
    expect(await refusalOf(bench.read({}, { signal: AbortSignal.abort() }))).toBe(
      'cancelled: Cancelled by user',
    )
  })
})
