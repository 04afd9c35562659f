import * as fs from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { findDescriptors } from '../../../../src/host/root/linux/linux-folder.ts'
import { LongPins } from '../../../../src/host/root/linux/long-pins.ts'
import { requireNative } from '../../../harness/native.ts'
import { makeScratch } from '../../../harness/scratch.ts'

function makePins(isNative: boolean) {
  const scratch = makeScratch()
  scratch.folder('a/b/c/d')
  const descriptors = findDescriptors()
  const fd = fs.openSync(scratch.path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)
  onTestFinished(() => fs.closeSync(fd))
  const top = { fd, path: `${descriptors}/${fd}`, base: `${descriptors}/${fd}/` }
  const trust = { is: true }
  const starts: string[] = []
  const pins = new LongPins({
    descriptors,
    isTrusted: () => trust.is,
    openTop: () => {
      starts.push('top')
      return top
    },
    openNative: (folder, path, flags) => {
      if (!isNative) return null
      starts.push(path)
      return requireNative().openBelow(folder, path, flags)
    },
    checkNow: () => ({ checkedAt: 0, checkedIn: 0 }),
  })
  onTestFinished(() => pins.close())
  const inodeAt = (rel: string): number => {
    const pin = pins.open(rel)
    const { ino } = fs.fstatSync(pin.fd)
    pins.release(pin)
    return ino
  }
  return { scratch, pins, trust, starts, inodeAt }
}

it('a folder is opened from the nearest one above it that was opened just now', () => {
  const { scratch, trust, starts, inodeAt } = makePins(true)
  for (const rel of ['a/b', 'a/b/c', 'a/b/c/d', 'a/b'])
    expect(inodeAt(rel)).toBe(fs.statSync(scratch.at(rel)).ino)
  expect(starts).toEqual(['top', 'a/b', 'c', 'd'])
  trust.is = false
  expect(inodeAt('a/b/c')).toBe(fs.statSync(scratch.at('a/b/c')).ino)
  expect(starts.slice(4)).toEqual(['top', 'a/b/c'])
})

it('the same without native code', () => {
  const { scratch, starts, inodeAt } = makePins(false)
  for (const rel of ['a/b', 'a/b/c/d']) expect(inodeAt(rel)).toBe(fs.statSync(scratch.at(rel)).ino)
  expect(starts).toEqual(['top'])
  scratch.link('a/link', 'b')
  expect(() => inodeAt('a/link/c')).toThrow('ENOTDIR')
  expect(() => inodeAt('a/../a')).toThrow('no plain name')
})

it('a part that is no plain name is refused with native code as without it', () => {
  for (const isNative of [true, false]) {
    const { starts, inodeAt } = makePins(isNative)
    for (const rel of ['/a', 'a//b', 'a/./b', 'a/b/../b']) expect(() => inodeAt(rel)).toThrow('no plain name')
    inodeAt('a')
    expect(() => inodeAt('a//b')).toThrow('no plain name')
    expect(starts.filter((path) => path.includes('b'))).toEqual([])
  }
})

it('a folder that is in use stays open until it is released', () => {
  const { scratch, pins, trust } = makePins(true)
  const pin = pins.open('a/b')
  trust.is = false
  pins.release(pins.open('a/b/c'))
  expect(fs.fstatSync(pin.fd).ino).toBe(fs.statSync(scratch.at('a/b')).ino)
  pins.release(pin)
  expect(() => fs.fstatSync(pin.fd)).toThrow('EBADF')
})
