import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createDenies } from '../../../src/workspace/sandbox/denies.ts'

const defaults = createDenies([], true)
const readDeny = (rel: string): string | null => defaults.find('/w/root', rel, 'read')
const writeDeny = (rel: string): string | null => defaults.find('/w/root', rel, 'write')

const fresh = (path: string): string | null => createDenies([], true).find('/w/root', path, 'read')

describe('the default denies', () => {
  it.each([
    ['**/.ssh/**', ['.ssh', '.ssh/id', 'home/.ssh/config', '.SSH/id', 'a/.Ssh/b/c']],
    ['**/.gnupg/**', ['.gnupg/secring.gpg', '.GnuPG']],
    ['**/id_rsa*', ['id_rsa', 'id_rsa.pub', 'a/ID_RSA', 'id_rsa_old/x']],
    ['**/*.pem', ['a.pem', 'KEY.PEM', 'certs/x.Pem', 'x.pem/inside', '.pem']],
    ['**/*.key', ['server.key', 'a/b/SERVER.KEY', '.key']],
  ])('FR-VAL-05: %s covers %j', (pattern, paths) => {
    for (const path of paths) {
      expect(readDeny(path)).toBe(pattern)
      expect(writeDeny(path)).toBe(pattern)
    }
  })

  it.each([
    '.aws/credentials',
    '.azure',
    '.kube/config',
    '.config/gcloud',
    '.config/gcloud/creds.db',
    '.Config/GCloud/x',
    '.git-credentials',
    '.npmrc',
    'pkg/.npmrc',
    '.pypirc',
    '.netrc',
    '.env',
    '.ENV',
    '.env.local',
    '.env.production',
    '.env.example.local',
    'id_ed25519',
    'id_ecdsa.pub',
    'a.p12',
    'a.pfx',
    'a.jks',
    'a.kdbx',
  ])('FR-VAL-05: cover %s', (path) => {
    expect(readDeny(path)).not.toBeNull()
    expect(defaults.find('/w/root', path, 'list')).not.toBeNull()
  })

  it.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.defaults',
    '.ENV.Example',
    '.env.production.example',
    'env',
    '.environment',
    '.envrc',
    'ssh/config',
    '.sshx',
    'config/gcloud',
    '.config/other',
    'monkey',
    'key',
    'pem.txt',
    'my_id_rsa',
    'a.pem.md',
    '.gitignore',
    '.github/workflows/ci.yml',
    'npmrc',
  ])('let %s through', (path) => {
    expect(readDeny(path)).toBeNull()
    expect(writeDeny(path)).toBeNull()
  })

  it('see through other spellings of a name: long s, Kelvin sign, composed and ignored characters, trailing dots', () => {
    for (const path of [
      '.\u017F\u017Fh/x',
      'server.\u212Aey',
      '.s\u200Csh/id',
      'a.pem.',
      'a.pem ',
      '.npmrc\uFEFF',
    ]) {
      expect(readDeny(path), path).not.toBeNull()
    }
    const composed = createDenies(['**/caf\u00E9'], false)
    expect(composed.find('/w', 'cafe\u0301/menu', 'read')).toBe('**/caf\u00E9')
    expect(createDenies(['**/cafe\u0301'], false).find('/w', 'CAF\u00C9', 'read')).not.toBeNull()
  })

  it('hold for the whole path, also above the root and across its edge', () => {
    expect(defaults.find('/home/ada/.ssh', 'notes.txt', 'read')).toBe('**/.ssh/**')
    expect(defaults.find('/home/ada/.config', 'gcloud/creds', 'read')).toBe('**/.config/gcloud/**')
    expect(defaults.find('/home/ada/.ssh', '', 'list')).toBe('**/.ssh/**')
  })

  it('cover the system\u2019s own secrets where a root is wide enough to hold them', () => {
    for (const path of [
      'etc/shadow',
      'etc/shadow-',
      'etc/gshadow',
      'etc/sudoers',
      'etc/sudoers.d/x',
      'etc/ssh/ssh_host_rsa_key',
      'proc/self/environ',
      'proc/1/mem',
    ]) {
      expect(defaults.find('/', path, 'read'), path).not.toBeNull()
    }
    expect(defaults.find('/etc', 'shadow', 'read')).not.toBeNull()
    expect(defaults.find('/', 'etc/passwd', 'read')).toBeNull()
    expect(readDeny('etc/shadow')).toBeNull()
  })
})

describe('git\u2019s own folder', () => {
  it('is never written, at any depth, by any name of it, as folder or as file', () => {
    for (const path of [
      '.git',
      '.git/HEAD',
      '.git/refs/heads/main',
      'sub/.git',
      'sub/.git/index',
      '.GIT/x',
      '.git./x',
      '.g\u200Cit/x',
      'GIT~1/x',
      '.git/commondir',
    ]) {
      expect(writeDeny(path), path).toBe('**/.git/**')
      expect(createDenies([], false).find('/w', path, 'write'), path).toBe('**/.git/**')
    }
    for (const path of ['.gitignore', '.gitattributes', '.gitmodules', '.github/x', 'git/x', 'a.git/x'])
      expect(writeDeny(path)).toBeNull()
  })

  it.each([
    '.git/config',
    '.git/config.worktree',
    '.git/hooks',
    '.git/hooks/pre-commit',
    '.GIT/Hooks/x',
    '.git/credentials',
    'sub/.git/config',
    '.git/modules/lib/config',
    '.git/modules/deep/er/lib/hooks/post-checkout',
    '.git/worktrees/w/config.worktree',
    '.git/modules/lib/worktrees/w/config.worktree',
  ])('is not read where it says what runs: %s', (path) => {
    expect(readDeny(path)).not.toBeNull()
  })

  it.each([
    '.git',
    '.git/HEAD',
    '.git/index',
    '.git/logs/HEAD',
    '.git/refs/heads/config',
    '.git/modules/lib/HEAD',
    '.git/objects/ab/cdef',
    'config',
    'hooks/x',
  ])('is read elsewhere: %s', (path) => {
    expect(readDeny(path)).toBeNull()
  })
})

describe('configured patterns', () => {
  it('start at the root, anywhere, or at the top of the file system', () => {
    const denies = createDenies(['build/**', '**/private', '/srv/data/**', '*.{bak,tmp}'], false)
    const find = (rel: string, root = '/srv/root'): string | null => denies.find(root, rel, 'read')
    expect(find('build')).toBe('build/**')
    expect(find('build/a/b')).toBe('build/**')
    expect(find('sub/build')).toBeNull()
    expect(find('a/private/b')).toBe('**/private')
    expect(find('x.bak')).toBe('*.{bak,tmp}')
    expect(find('sub/x.bak')).toBeNull()
    expect(find('x', '/srv/data')).toBe('/srv/data/**')
    expect(find('a/b', '/home/build')).toBeNull()
  })

  it('deny what a denied folder holds, and compare without case', () => {
    const denies = createDenies(['vault', 'a?c/*.txt'], false)
    expect(denies.find('/w', 'Vault/deep/f', 'read')).toBe('vault')
    expect(denies.find('/w', 'ABC/F.TXT', 'read')).toBe('a?c/*.txt')
    expect(denies.find('/w', 'abc/f.md', 'read')).toBeNull()
  })

  it('never allow more by being more', () => {
    const names = constantFrom('a', 'b', '.ssh', '.env', '.git', 'config', 'x.pem', 'vault', 'F.TXT')
    const patterns = constantFrom('a/**', '**/b', '*.txt', '**/vault/**', 'a/?', '/w/root/b')
    assert(
      property(
        array(names, { minLength: 1, maxLength: 5 }),
        array(patterns),
        patterns,
        (parts, some, more) => {
          const path = parts.join('/')
          const fewer = createDenies(some, true).find('/w/root', path, 'read')
          const denied = createDenies([...some, more], true).find('/w/root', path, 'read')
          if (fewer !== null) expect(denied).not.toBeNull()
        },
      ),
    )
  })

  it('give the same answer in any order of asking', () => {
    const paths = ['a/b/c', 'a', 'a/b', '.ssh/x', 'a/.ssh', '.git/config', 'a/b/.git/hooks/x', 'x.pem/y']
    const shared = createDenies([], true)
    for (const path of [...paths, ...paths.toReversed()]) {
      expect(shared.find('/w/root', path, 'read')).toBe(fresh(path))
      expect(
        shared.find('/w/root', path, 'write') === null && shared.find('/w/root', path, 'read') !== null,
      ).toBe(false)
    }
    for (let at = 0; at < 1000; at++) expect(shared.find('/w/root', `many/${at}/f.txt`, 'read')).toBeNull()
    expect(shared.find('/w/root', 'a/.ssh/x', 'read')).toBe('**/.ssh/**')
  })
})

describe('a deep tree', () => {
  /** How many names are folded for the files and folders of a tree, level by level, as a look at all of it asks. */
  function countFolded(depth: number, width: number): number {
    const denies = createDenies([], true)
    const folded = vi.spyOn(String.prototype, 'toLowerCase')
    try {
      let names = 0
      for (let level = 0, folders = ['']; level < depth; level++) {
        for (const folder of folders)
          for (const name of ['f', 'g', 'd']) {
            expect(denies.find('/w/root', `${folder}${name}`, 'read')).toBeNull()
            names += 1
          }
        folders =
          level === 0
            ? Array.from({ length: width }, (_, at) => `d${at}/`)
            : folders.map((each) => `${each}d/`)
      }
      return folded.mock.calls.length / names
    } finally {
      folded.mockRestore()
    }
  }

  it('has each of its names judged a few times, however deep or wide it is', () => {
    expect(countFolded(1_500, 1)).toBeLessThan(3)
    expect(countFolded(60, 40)).toBeLessThan(3)
    expect(countFolded(4, 2_000)).toBeLessThan(3)
  })
})
