import { describe, expect, it } from 'vitest'
import { findBlockedAccess } from '../../../src/host/confine/find-blocked-access.ts'

const GIVEN = { hasNetwork: false, roots: ['/work'] }

describe('what a command was stopped at', () => {
  it.each([
    'error connecting to /tmp/tmux-0/default (Operation not permitted)',
    'Error: listen EPERM: operation not permitted /work/server.sock',
    'socket: Operation not permitted',
  ])('is a local socket: %s', (line) => {
    expect(findBlockedAccess(`before\n${line}\n`, GIVEN)).toEqual({ kind: 'socket' })
  })

  it.each([
    ["cat: '/opt/größe – 文/a b.txt': No such file or directory", 'read'],
    ["touch: cannot touch '/opt/größe – 文/a b.txt': Read-only file system", 'write'],
    ['touch: cannot touch ‘/opt/größe – 文/a b.txt’: Read-only file system', 'write'],
    ['bash: line 1: /opt/größe – 文/a b.txt: Permission denied', 'read'],
    ["Error: EACCES: permission denied, open '/opt/größe – 文/a b.txt'", 'read'],
    ['open "/opt/größe – 文/a b.txt": Permission denied', 'read'],
  ])('is a path with blanks: %s', (line, kind) => {
    expect(findBlockedAccess(line, GIVEN)).toEqual({ kind, path: '/opt/größe – 文/a b.txt' })
    const roots = ['/opt/größe – 文']
    expect(findBlockedAccess(line, { ...GIVEN, roots })).toBeNull()
  })

  it('is looked for in linear time', () => {
    for (const piece of ["'/", '‘/', ': /', '"/', ": /a'"]) {
      const started = process.cpuUsage()
      findBlockedAccess(piece.repeat(50_000), GIVEN)
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000)
    }
    for (const piece of ['dial tcp ', 'socket ', "'/"])
      expect(findBlockedAccess(piece.repeat(200_000), GIVEN)).toBeNull()
  })

  it('is network, a path to read, or a path to write; what lies in the workspace is its own affair', () => {
    expect(findBlockedAccess('getaddrinfo EAI_AGAIN example.org', GIVEN)).toEqual({ kind: 'network' })
    expect(findBlockedAccess('getaddrinfo EAI_AGAIN example.org', { ...GIVEN, hasNetwork: true })).toBeNull()
    expect(findBlockedAccess('cat: /etc/shadow: Permission denied', GIVEN)).toEqual({
      kind: 'read',
      path: '/etc/shadow',
    })
    expect(findBlockedAccess('touch: /opt/x: Read-only file system', GIVEN)).toEqual({
      kind: 'write',
      path: '/opt/x',
    })
    expect(findBlockedAccess('cat: /work/none: No such file or directory', GIVEN)).toBeNull()
    expect(findBlockedAccess('chown: changing ownership: Operation not permitted', GIVEN)).toBeNull()
  })
})
