import { Buffer } from 'node:buffer'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findExit } from '../../../src/host/way/find-exit.ts'
import { findWay, stepsByName } from '../../../src/host/way/find-way.ts'
import { followWay } from '../../../src/host/way/follow-way.ts'
import { kindOrMissing } from '../../../src/host/way/path-kind.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** Targets of a link beside a file `s/f`, how the way ends, and where in the scratch folder. */
const TARGETS = [
  ['a file', 's/f', 'there', 's/f'],
  ['a file, there and back', 's/../s/./f', 'there', 's/f'],
  ['a file by a further link', 'by/f', 'there', 's/f'],
  ['a name that does not exist', 's/g', 'missing', 's/g'],
  ['a file as if it were a folder', 's/f/x', 'missing', 's/f/x'],
  ['what a file would lead back from', 's/f/..', 'missing', 's'],
  ['a name that is too long', 'a'.repeat(256), 'nowhere', null],
  ['itself', 'link', 'nowhere', null],
  ['the folder of whoever asks', '/proc/self/cwd/s/f', 'depends', null],
  ['the folder of a thread', '/proc/thread-self/cwd/s/f', 'depends', null],
  ['the root of whoever asks', '/proc/self/root/etc/passwd', 'depends', null],
  ['the folder of one process', `/proc/${process.pid}/cwd/s/f`, 'depends', null],
  ['a process that may come', '/proc/4194303/cwd/s/f', 'depends', null],
  ['what a process has open', '/proc/self/fd/0', 'depends', null],
  ['the same by another name', '/dev/fd/0', 'depends', null],
  ['what it may have open', '/dev/fd/9999', 'depends', null],
  ['a list of the system', '/proc/cpuinfo', 'there', null],
  ['a device', '/dev/null', 'there', null],
] as const

describe('a path by a link to', () => {
  it.for(TARGETS)('%s ends where the system would go, for every caller', ([, target, end, rel]) => {
    const scratch = makeScratch()
    scratch.file('s/f', 'x')
    symlinkSync('s', scratch.at('by'))
    symlinkSync(target, scratch.at('link'))
    const byHandle = findWay(scratch.at('link'))
    const byName = followWay(scratch.at('link'), stepsByName(kindOrMissing))
    expect([byHandle.end, byName.end]).toEqual([end, end])
    expect(byHandle.place === null).toBe(end !== 'there')
    if (rel !== null) expect([byHandle.real, byName.real]).toEqual([scratch.at(rel), scratch.at(rel)])
  })

  it('a name that is not UTF-8 is known byte for byte', () => {
    const scratch = makeScratch()
    const raw = Buffer.from([0x73, 0xff])
    writeFileSync(Buffer.concat([Buffer.from(`${scratch.at('')}/`), raw]), 'x')
    symlinkSync(raw, scratch.at('link'))
    expect(findWay(scratch.at('link')).place).toMatchObject({ real: scratch.at('s\udcff'), kind: 'file' })
  })
})

describe('a path that goes through a folder', () => {
  function makeRoot() {
    const scratch = makeScratch()
    scratch.file('root/in/f', 'x')
    scratch.file('out/f', 'x')
    const exitOf = (name: string) => findExit(findWay(scratch.at(name)), [scratch.at('root')])
    return { scratch, exitOf }
  }

  it.each([
    ['a link in it', '../out'],
    ['a link to whoever asks', '/proc/self/cwd'],
    ['a link to what does not exist yet', '../new'],
  ])('and leaves it by %s is told with the link', (_, target) => {
    const { scratch, exitOf } = makeRoot()
    symlinkSync(target, scratch.at('root/e'))
    expect(exitOf('root/e/f')?.link).toBe(scratch.at('root/e'))
    symlinkSync(scratch.at('root'), scratch.at('alias'))
    expect(exitOf('alias/e/f')?.link).toBe(scratch.at('root/e'))
  })

  it('and stays in it is not', () => {
    const { scratch, exitOf } = makeRoot()
    symlinkSync('in', scratch.at('root/e'))
    symlinkSync('root', scratch.at('alias'))
    expect([exitOf('root/e/f'), exitOf('alias/e/f'), exitOf('out/f')]).toEqual([null, null, null])
  })
})

it('what is found was there, though a folder of the way is renamed meanwhile', () => {
  const scratch = makeScratch()
  mkdirSync(scratch.at('one'))
  scratch.file('one/f', 'x')
  symlinkSync('one/f', scratch.at('link'))
  const { place } = findWay(scratch.at('link'))
  renameSync(scratch.at('one'), scratch.at('two'))
  expect(findWay(scratch.at('link')).end).toBe('missing')
  expect(findWay(scratch.at('two/f')).place?.identity).toBe(place?.identity)
})
