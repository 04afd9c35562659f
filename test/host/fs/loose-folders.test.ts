import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { setFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { findLooseFolder } from '../../../src/host/fs/loose-folders.ts'
import { NOBODY } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

const isRoot = process.getuid?.() === 0

/** A group that several users of this machine have, as some of every Debian system do. */
function findSharedGroup(): number | undefined {
  const groups = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => Number(line.split(':')[3] ?? 0))
  return groups.find((gid, at) => gid !== 0 && groups.indexOf(gid) !== at)
}

describe('a folder in which others can exchange what is there', () => {
  const MODES: [mode: number, isLoose: boolean][] = [
    [0o755, false],
    [0o777, true],
    [0o757, true],
    [0o1777, false],
    [0o775, false],
  ]
  it.for(MODES)('is found by its mode %o, however private what is in it: %s', ([mode, isLoose]) => {
    const scratch = makeScratch()
    const shared = scratch.folder('shared')
    chmodSync(shared, mode)
    expect(findLooseFolder(scratch.folder('shared/mine/state'))).toBe(isLoose ? shared : null)
    expect(findLooseFolder(scratch.at('shared/not/yet'))).toBe(isLoose ? shared : null)
    expect(findLooseFolder(shared)).toBeNull()
  })

  /** An access list by which a user may read, and write if that is said. */
  const listFor = (user: number, mayWrite: boolean): Buffer => {
    const rows = [
      [1, 7, 0xffffffff],
      [2, mayWrite ? 7 : 5, user],
      [4, 7, 0xffffffff],
      [16, 7, 0xffffffff],
      [32, 5, 0xffffffff],
    ]
    const list = Buffer.alloc(4 + 8 * rows.length)
    list.writeUInt32LE(2)
    for (const [at, [tag = 0, rights = 0, id = 0]] of rows.entries()) {
      list.writeUInt16LE(tag, 4 + 8 * at)
      list.writeUInt16LE(rights, 6 + 8 * at)
      list.writeUInt32LE(id, 8 + 8 * at)
    }
    return list
  }

  const LISTS: [user: number, mayWrite: boolean, isLoose: boolean][] = [
    [9999, true, true],
    [9999, false, false],
    [0, true, false],
  ]
  it.runIf(process.platform === 'linux').for(LISTS)(
    'is found by an access list that lets user %d write: %s',
    ([user, mayWrite, isLoose]) => {
      const scratch = makeScratch()
      const shared = scratch.folder('shared')
      const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
      const attributes = new Map([['system.posix_acl_access', listFor(user, mayWrite)]])
      expect(setFolderAttributes(shared, { mode: 0o775, uid, gid, attributes })).toBe(true)
      expect(statSync(shared).mode & 0o777).toBe(0o775)
      expect(findLooseFolder(scratch.at('shared/state'))).toBe(isLoose ? shared : null)
    },
  )

  const many = findSharedGroup()
  it.runIf(isRoot && many !== undefined)(
    'is found by a group that is the own one, but not for oneself alone',
    () => {
      const scratch = makeScratch()
      const shared = scratch.folder('shared')
      chownSync(shared, 0, many ?? 0)
      chmodSync(shared, 0o775)
      const own = process.getegid?.() ?? 0
      process.setegid?.(many ?? 0)
      try {
        expect(findLooseFolder(scratch.at('shared/state'))).toBe(shared)
      } finally {
        process.setegid?.(own)
      }
    },
  )

  it('is found where a link lies, and where it leads', () => {
    const scratch = makeScratch()
    const shared = scratch.folder('shared')
    chmodSync(shared, 0o777)
    scratch.folder('mine/state')
    expect(findLooseFolder(`${scratch.link('shared/link', '../mine')}/state`)).toBe(shared)
    scratch.folder('shared/theirs')
    expect(findLooseFolder(`${scratch.link('mine/link', '../shared/theirs')}/state`)).toBe(shared)
    expect(findLooseFolder(`${scratch.link('mine/own', '.')}/state`)).toBeNull()
  })

  it.runIf(isRoot)('is found by its owner, and by a group that is not the own one', () => {
    const scratch = makeScratch()
    const theirs = scratch.folder('theirs')
    chownSync(theirs, NOBODY, NOBODY)
    expect(findLooseFolder(scratch.folder('theirs/state'))).toBe(theirs)
    chownSync(theirs, 0, NOBODY)
    expect(findLooseFolder(scratch.at('theirs/state'))).toBeNull()
    chmodSync(theirs, 0o775)
    expect(findLooseFolder(scratch.at('theirs/state'))).toBe(theirs)
  })
})
