import { describe, expect, it } from 'vitest'
import { findBlockedAccess } from '../../../src/host/confine/find-blocked-access.ts'
import { buildSeatbeltProfile } from '../../../src/host/confine/seatbelt.ts'

describe('the profile for macOS', () => {
  const policy = {
    readable: ['/r'],
    writable: ['/w'],
    shielded: ['/w/.git/config'],
    pinned: ['/w/.git'],
    hidden: ['/w/.env'],
    hasNetwork: false,
  }

  it('denies first, allows what was named, and takes back what is shielded and hidden last', () => {
    const lines = buildSeatbeltProfile(policy).split('\n')
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
    const at = (part: string): number => lines.findIndex((line) => line.includes(part))
    expect(at('(allow file-write* (subpath "/w"))')).toBeGreaterThan(0)
    expect(at('(deny file-write* (subpath "/w/.git/config"))')).toBeGreaterThan(at('(allow file-write*'))
    expect(at('(deny file-read* file-write* (subpath "/w/.env"))')).toBeGreaterThan(at('(allow file-read*'))
    expect(at('(deny file-write-unlink (literal "/w/.git"))')).toBeGreaterThan(at('(allow file-write*'))
    expect(at('(deny network*)')).toBeGreaterThan(0)
    expect(buildSeatbeltProfile({ ...policy, hasNetwork: true })).not.toContain('deny network')
  })

  it('quotes paths so that none can end its own string', () => {
    const profile = buildSeatbeltProfile({ ...policy, writable: ['/w") (allow default) ("'] })
    expect(profile).toContain(String.raw`(subpath "/w\") (allow default) (\"")`)
  })
})

describe('what a stopped command wanted', () => {
  const given = { hasNetwork: false, roots: ['/work/app'] }
  it.for([
    ['curl: (6) Could not resolve host: example.org', { kind: 'network' }],
    ['npm error code EAI_AGAIN', { kind: 'network' }],
    ["touch: cannot touch '/usr/x': Read-only file system", { kind: 'write', path: '/usr/x' }],
    [
      "Error: EROFS: read-only file system, open '/home/ada/.npm/log'",
      { kind: 'write', path: '/home/ada/.npm/log' },
    ],
    ['cat: /home/ada/notes.txt: No such file or directory', { kind: 'read', path: '/home/ada/notes.txt' }],
    ['cat: /work/app/missing.txt: No such file or directory', null],
    ['make: *** No rule to make target x.', null],
    ['', null],
  ] as const)('is read from %j', ([stderr, wanted]) => {
    expect(findBlockedAccess(stderr, given)).toEqual(wanted)
  })

  it('is not the network where it has one', () => {
    expect(findBlockedAccess('Could not resolve host: x', { ...given, hasNetwork: true })).toBeNull()
  })
})
