import { describe, expect, it } from 'vitest'
import { findWanted } from '../../../src/host/confine/find-wanted.ts'

const GIVEN = { hasNetwork: false, roots: ['/work'] }

describe('what a command was stopped at', () => {
  it.each([
    'error connecting to /tmp/tmux-0/default (Operation not permitted)',
    'Error: listen EPERM: operation not permitted /work/server.sock',
    'socket: Operation not permitted',
  ])('is a local socket: %s', (line) => {
    expect(findWanted(`before\n${line}\n`, GIVEN)).toEqual({ kind: 'socket' })
  })

  it('is network, a path to read, or a path to write; what lies in the workspace is its own affair', () => {
    expect(findWanted('getaddrinfo EAI_AGAIN example.org', GIVEN)).toEqual({ kind: 'network' })
    expect(findWanted('getaddrinfo EAI_AGAIN example.org', { ...GIVEN, hasNetwork: true })).toBeNull()
    expect(findWanted('cat: /etc/shadow: Permission denied', GIVEN)).toEqual({
      kind: 'read',
      path: '/etc/shadow',
    })
    expect(findWanted('touch: /opt/x: Read-only file system', GIVEN)).toEqual({
      kind: 'write',
      path: '/opt/x',
    })
    expect(findWanted('cat: /work/none: No such file or directory', GIVEN)).toBeNull()
    expect(findWanted('chown: changing ownership: Operation not permitted', GIVEN)).toBeNull()
  })
})
