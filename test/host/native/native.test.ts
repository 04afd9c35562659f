import { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { constants as osConstants } from 'node:os'
import { describe, expect, it } from 'vitest'
import {
  createWithAttributes,
  findAttributed,
  readAttributes,
  readFolderAttributes,
  setFolderAttributes,
} from '../../../src/host/fs/attributes.ts'
import { createNative } from '../../../src/host/native/create-native.ts'
import { WITHOUT_NATIVE } from '../../../src/host/native/load-native.ts'
import { fileStat } from '../../../src/host/root/file-stat.ts'
import { requireNative } from '../../harness/native.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { mkfifoSync } from '../root/make-odd-files.ts'

/** Runs `use` with a descriptor of a folder. */
function inFolder<T>(path: string, use: (fd: number) => T): T {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)
  try {
    return use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

describe('native calls', () => {
  it('tell the same about a name as Node does, whatever it is', () => {
    const scratch = makeScratch()
    scratch.file('plain.txt', 'x'.repeat(100_000))
    scratch.file('old.txt')
    fs.utimesSync(scratch.at('old.txt'), -5.5, -7.25)
    scratch.file('odd mode')
    fs.chmodSync(scratch.at('odd mode'), 0o4751)
    scratch.folder('folder/inside')
    scratch.link('link', 'nowhere')
    fs.linkSync(scratch.at('old.txt'), scratch.at('\u{1F600} second name'))
    fs.closeSync(fs.openSync(scratch.at('sparse'), 'w'))
    fs.truncateSync(scratch.at('sparse'), 2 ** 33 + 7)
    mkfifoSync(scratch.at('pipe'))
    for (const folder of [scratch.path, '/dev', '/proc/self', '/'])
      inFolder(folder, (fd) => {
        for (const name of fs.readdirSync(folder)) {
          const before = fileStat(fs.lstatSync(`${folder}/${name}`))
          const found = requireNative().statAt(fd, name)
          const after = fileStat(fs.lstatSync(`${folder}/${name}`))
          // What lives changes in between.
          if (JSON.stringify(before) === JSON.stringify(after)) expect([name, found]).toEqual([name, after])
        }
        expect(requireNative().statAt(fd, 'none')).toBe('missing')
      })
    inFolder(scratch.path, (fd) => expect(requireNative().statAt(fd, 'plain.txt/x')).toBeNull())
  })

  it('tell whether a file has extended attributes', () => {
    const scratch = makeScratch()
    scratch.file('plain')
    const attributes = new Map([['user.note', Buffer.from('x')]])
    const { uid, gid } = fs.statSync(scratch.at('plain'))
    const file = { name: 'noted', content: Buffer.from('x'), mode: 0o644, uid, gid, attributes }
    expect(createWithAttributes(scratch.path, file)).toBe(true)
    scratch.link('link', 'noted')
    const { attributeNames, hasAttributes } = requireNative()
    expect(['plain', 'noted', 'link', 'none'].map((name) => hasAttributes(scratch.at(name)))).toEqual([
      false,
      true,
      false,
      null,
    ])
    const namesOf = (name: string) => attributeNames(Buffer.from(scratch.at(name)))?.map(String)
    expect(['plain', 'noted', 'link', 'none'].map(namesOf)).toEqual([[], ['user.note'], [], undefined])
  })

  it('exchange two names, or take one that is free', () => {
    const scratch = makeScratch()
    scratch.file('a', 'first')
    scratch.file('b', 'second')
    const { rename } = requireNative()
    const read = (name: string): string => fs.readFileSync(scratch.at(name), 'utf8')
    inFolder(scratch.path, (folder) => {
      const end = (from: string, to: string, how: 'new' | 'exchange'): number =>
        rename({ folder, name: from }, { folder, name: to }, how)
      expect(end('a', 'b', 'exchange')).toBe(0)
      expect([read('a'), read('b')]).toEqual(['second', 'first'])
      expect(end('a', 'b', 'new')).toBe(osConstants.errno.EEXIST)
      expect(end('a', 'none', 'exchange')).toBe(osConstants.errno.ENOENT)
      expect([read('a'), read('b')]).toEqual(['second', 'first'])
      expect(end('a', 'c', 'new')).toBe(0)
      expect(fs.readdirSync(scratch.path).toSorted()).toEqual(['b', 'c'])
    })
  })

  it('tell whether something is mounted on a name, and why a name is no folder to remove', () => {
    const scratch = makeScratch()
    scratch.file('file')
    scratch.folder('full/inside')
    const { isMounted, removeFolder } = requireNative()
    inFolder('/', (folder) => expect(isMounted(folder, 'proc')).toBe(true))
    inFolder(scratch.path, (folder) =>
      expect(['file', 'full', 'none'].map((name) => isMounted(folder, name))).toEqual([false, false, null]),
    )
    expect(removeFolder(scratch.at('file'))).toBe(osConstants.errno.ENOTDIR)
    expect(removeFolder(scratch.at('full'))).toBe(osConstants.errno.ENOTEMPTY)
    expect(removeFolder(scratch.at('full/inside'))).toBe(0)
    expect(fs.readdirSync(scratch.at('full'))).toEqual([])
  })

  it('open a path below a folder, and none through a link', () => {
    const scratch = makeScratch()
    scratch.file('a/b/f.txt')
    scratch.link('a/l', 'b')
    const { openBelow } = requireNative()
    inFolder(scratch.at('a'), (folder) => {
      const fd = openBelow(folder, 'b/f.txt', fs.constants.O_RDONLY)
      expect(fd).not.toBeNull()
      if (fd !== null) fs.closeSync(fd)
      for (const path of ['l/f.txt', 'none', '../a/b/f.txt', scratch.at('a/b/f.txt')])
        expect(openBelow(folder, path, fs.constants.O_RDONLY)).toBeNull()
    })
  })

  it('open a path without links, and none with one in any part', () => {
    const scratch = makeScratch()
    scratch.file('a/b/f.txt')
    scratch.link('a/l.txt', 'b/f.txt')
    scratch.link('alias', 'a')
    const { openPlain } = requireNative()
    const fd = openPlain(scratch.at('a/b/f.txt'), fs.constants.O_RDONLY)
    expect(fd).not.toBeNull()
    if (fd === null) return
    expect(fs.readFileSync(fd, 'utf8')).toBe('a/b/f.txt')
    // Like whatever Node opens, it is not handed to other programs.
    expect(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')).toMatch(/^flags:\s*0*2\d{6}$/m)
    fs.closeSync(fd)
    for (const path of ['a/l.txt', 'alias/b/f.txt', 'none', 'a/b/f.txt/x'])
      expect(openPlain(scratch.at(path), fs.constants.O_RDONLY)).toBeNull()
    expect(openPlain('/proc/self/cwd', fs.constants.O_RDONLY)).toBeNull()
  })

  it('are not used at all where one of them does not exist', () => {
    const func = (): never => {
      throw new Error('no such function')
    }
    expect(() => createNative({ load: () => ({ func }), errno: () => 0 })).toThrow('no such function')
  })

  it('find the files with attributes that the archiver finds, and leave to it what they cannot tell', () => {
    const scratch = makeScratch()
    scratch.file('plain')
    scratch.link('link', 'plain')
    const attributes = new Map([['user.note', Buffer.from('x')]])
    const file = { name: 'noted', content: Buffer.of(), mode: 0o644, uid: 0, gid: 0, attributes }
    const owned = { ...file, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
    expect(createWithAttributes(scratch.path, owned)).toBe(true)
    const paths = ['plain', 'noted', 'link'].map((name) => scratch.at(name))
    const asked: string[] = []
    const native = {
      ...requireNative(),
      hasAttributes: (path: string) => {
        asked.push(path)
        return requireNative().hasAttributes(path)
      },
    }
    expect(findAttributed(paths, WITHOUT_NATIVE)).toEqual(new Set([1]))
    expect(findAttributed(paths, () => native)).toEqual(new Set([1]))
    expect(asked).toEqual(paths)
    expect(findAttributed(paths, () => ({ ...native, hasAttributes: () => null }))).toEqual(new Set([1]))
  })

  it('read the same extended attributes as the archiver, whatever the names and values are', () => {
    const scratch = makeScratch()
    const values = {
      'user.empty': Buffer.of(),
      'user.lines': Buffer.from('one\ntwo=three\n'),
      'user.bytes': Buffer.from([0, 255, 10, 0, 61, 128]),
      'user.long': Buffer.alloc(2_000, 7),
      'user.\u00fc\u{1F600}': Buffer.from('x'),
    }
    const { uid, gid } = fs.statSync(scratch.path)
    const attributes = new Map(Object.entries(values))
    const file = { name: 'noted', content: Buffer.from('x'), mode: 0o644, uid, gid, attributes }
    expect(createWithAttributes(scratch.path, file)).toBe(true)
    scratch.file('plain')
    scratch.link('link', 'noted')
    scratch.folder('folder')
    expect(setFolderAttributes(scratch.at('folder'), { mode: 0o755, uid, gid, attributes })).toBe(true)
    const odd = Buffer.from('odd \xff\n name', 'latin1')
    fs.copyFileSync(scratch.at('noted'), Buffer.concat([Buffer.from(`${scratch.path}/`), odd]))
    const names = [...['noted', 'plain', 'link', 'folder', 'folder/.'].map((name) => Buffer.from(name)), odd]
    const byArchiver = readFolderAttributes(scratch.path, names, WITHOUT_NATIVE)
    const bare = requireNative()
    const asked: Uint8Array[] = []
    const natively = readFolderAttributes(scratch.path, names, () => ({
      ...bare,
      readAttributes: (path, lastLink) => {
        asked.push(path)
        return bare.readAttributes(path, lastLink)
      },
    }))
    expect(asked).toHaveLength(names.length)
    const plainly = (all: typeof natively) => all?.map((one) => new Map([...one].toSorted()))
    expect(plainly(natively)).toEqual(plainly(byArchiver))
    expect(natively?.map(({ size }) => size)).toEqual([5, 0, 0, 5, 5, 0])
    expect(readAttributes(scratch.at('link'))).toEqual(natively?.[0])
    expect(readFolderAttributes(scratch.path, [Buffer.from('none')], requireNative)).toBeNull()
    expect(
      readFolderAttributes(scratch.path, names, () => ({ ...bare, readAttributes: () => null })),
    ).toEqual(byArchiver)
  })
})
