import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLinuxRoot } from '../../../../src/host/root/linux/linux.ts'
import { BOTH_WAYS } from '../../../harness/native.ts'
import { FASTEST, makeScratch } from '../../../harness/scratch.ts'
import { describeRoot } from '../root-contract.ts'

for (const [way, source] of BOTH_WAYS)
  describeRoot(`the Linux root ${way}`, (path) => openLinuxRoot(path, source))

const countOpen = (): number => fs.readdirSync('/proc/self/fd').length

/** Makes folders in folders, deeper than a path can say, and hands each to `fill`; the last stays open. */
function makeDeep(start: string, name: string, depth: number, fill: (folder: string) => void): number {
  let fd = fs.openSync(start, 'r')
  for (let at = 0; at < depth; at++) {
    const folder = `/proc/self/fd/${fd}`
    fill(folder)
    fs.mkdirSync(`${folder}/${name}`)
    const next = fs.openSync(`${folder}/${name}`, 'r')
    fs.closeSync(fd)
    fd = next
  }
  return fd
}

describe.each(BOTH_WAYS)('the Linux root %s: what it holds open', (_way, source) => {
  it('keeps a bounded number of folders open, and none once it is closed', () => {
    const scratch = makeScratch()
    for (let at = 0; at < 200; at++) scratch.file(`d${at}/f.txt`, `${at}`)
    const before = countOpen()
    const root = openLinuxRoot(scratch.path, source)
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 200; at++) {
        const file = root.openFile(`d${at}/f.txt`)
        expect(Number(Buffer.from(file.readAll(10)).toString())).toBe(at)
        file.close()
        root.resolve(`d${at}/f.txt`)
      }
    }
    expect(countOpen() - before).toBeLessThanOrEqual(64)
    root.close()
    expect(countOpen()).toBe(before)
  })

  it('holds nothing back after failures', () => {
    const scratch = makeScratch()
    scratch.file('d/f.txt')
    scratch.folder('d (deleted)')
    scratch.link('loop', 'loop')
    const root = openLinuxRoot(scratch.path, source)
    root.openFile('d/f.txt').close()
    const before = countOpen()
    for (let round = 0; round < 100; round++) {
      expect(() => root.openFile('d')).toThrow()
      expect(() => root.openFile('d/none')).toThrow()
      expect(() => root.openFile('d (deleted)/none')).toThrow()
      expect(() => root.resolve('loop/x')).toThrow()
      expect(() => root.list('none/none')).toThrow()
      expect(() => root.createExclusive('d/f.txt', 0o600)).toThrow()
      expect(() => root.rename('d/f.txt', 'none/f.txt')).toThrow()
      expect(() => root.walk('d/f.txt', () => 'enter')).toThrow()
    }
    expect(countOpen() - before).toBeLessThanOrEqual(1)
    root.close()
  })

  it('walks thousands of folders deep with few of them open, and sees every entry on the way back', () => {
    const scratch = makeScratch(FASTEST)
    const depth = 1500
    fs.closeSync(makeDeep(scratch.path, 'd', depth, (folder) => fs.writeFileSync(`${folder}/z`, '')))
    const root = openLinuxRoot(scratch.path, source)
    const before = countOpen()
    let folders = 0
    let files = 0
    let faults = 0
    let mostOpen = 0
    root.walk('', (entry) => {
      if (entry.kind === 'dir') folders++
      else if (entry.kind === 'file') files++
      if (entry.fault !== null || 'fault' in entry.stat()) faults++
      if (entry.depth % 100 === 0) mostOpen = Math.max(mostOpen, countOpen() - before)
      return 'enter'
    })
    expect({ folders, files, faults }).toEqual({ folders: depth, files: depth, faults: 0 })
    expect(mostOpen).toBeLessThanOrEqual(70)
    expect(countOpen()).toBe(before)
    root.close()
  })

  it('does not hold a folder open that it removed', () => {
    const scratch = makeScratch()
    scratch.file('d/f.txt', 'one')
    const root = openLinuxRoot(scratch.path, source)
    const before = countOpen()
    root.openFile('d/f.txt').close()
    root.unlink('d/f.txt')
    root.rmdir('d')
    expect(countOpen()).toBe(before)
    root.close()
  })

  it('is not deceived by a folder whose name ends like that of one that is gone', async () => {
    const scratch = makeScratch()
    scratch.file('x (deleted)/f.txt', 'old')
    const root = openLinuxRoot(scratch.path, source)
    root.openFile('x (deleted)/f.txt').close()
    await Promise.resolve()
    // Now the kernel calls the old folder, which is gone, by the very path of the new one.
    fs.unlinkSync(scratch.at('x (deleted)/f.txt'))
    fs.renameSync(scratch.at('x (deleted)'), scratch.at('x'))
    fs.rmdirSync(scratch.at('x'))
    scratch.file('x (deleted)/f.txt', 'new one')
    expect(root.stat('x (deleted)/f.txt')?.size).toBe(7)
    root.close()
  })

  it('reads below a path that is longer than the system takes', () => {
    const scratch = makeScratch()
    const name = 'n'.repeat(250)
    const last = makeDeep(scratch.path, name, 20, () => {})
    fs.writeFileSync(`/proc/self/fd/${last}/f.txt`, 'deep down')
    fs.closeSync(last)
    const root = openLinuxRoot(scratch.path, source)
    const rel = [...Array.from({ length: 20 }, () => name), 'f.txt'].join('/')
    const file = root.openFile(rel)
    expect(Buffer.from(file.readAll(100)).toString()).toBe('deep down')
    file.close()
    expect(root.resolve(rel)).toMatchObject({ isInside: true, kind: 'file' })
    root.close()
  })
})
