import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as files from '../../../src/host/fs/private-files.ts'
import { makeScratch } from '../../harness/scratch.ts'

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('a private folder', () => {
  it('is made with its parents, for its owner only', () => {
    const path = makeScratch().at('a', 'b', 'c')
    expect(files.makePrivateFolder(path)).toBeNull()
    expect(modeOf(path)).toBe(0o700)
    expect(files.makePrivateFolder(path)).toBeNull()
  })

  it('is closed to those who could look into it, and keeps what its owner may not do', () => {
    const scratch = makeScratch()
    for (const [name, before, after] of [
      ['open', 0o755, 0o700],
      ['fixed', 0o555, 0o500],
      ['mine', 0o700, 0o700],
    ] as const) {
      mkdirSync(scratch.at(name))
      chmodSync(scratch.at(name), before)
      expect(files.makePrivateFolder(scratch.at(name))).toBeNull()
      expect(modeOf(scratch.at(name))).toBe(after)
    }
  })

  it('is refused if others can write to it, and stays as it is', () => {
    const scratch = makeScratch()
    for (const mode of [0o777, 0o770, 0o702]) {
      const path = scratch.at(String(mode))
      mkdirSync(path)
      chmodSync(path, mode)
      expect(files.makePrivateFolder(path)).toEqual({ is: 'open_to_others', mode })
      expect(modeOf(path)).toBe(mode)
    }
  })

  it('is refused if it is something else', () => {
    const scratch = makeScratch()
    expect(() => files.makePrivateFolder(scratch.file('file'))).toThrow('EEXIST')
    symlinkSync(scratch.at('nowhere'), scratch.at('dangling'))
    expect(() => files.makePrivateFolder(scratch.at('dangling'))).toThrow(/ENOENT|EEXIST/)
  })
})

describe('a private file', () => {
  it('is made once; what is there already is not even opened', () => {
    const path = makeScratch().at('f')
    expect(files.createPrivateFile(path)).toBe(true)
    expect(modeOf(path)).toBe(0o600)
    writeFileSync(path, 'kept')
    expect(files.createPrivateFile(path)).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('kept')
  })

  it('appears whole or not at all, and leaves no draft behind', () => {
    const scratch = makeScratch()
    const path = scratch.at('whole')
    expect(() =>
      files.createWhole(path, (draft) => {
        writeFileSync(draft, 'half')
        expect(existsSync(path)).toBe(false)
        throw new Error('interrupted')
      }),
    ).toThrow('interrupted')
    expect(readdirSync(scratch.path)).toEqual([])
    expect(files.createPrivateFileWith(path, 'first')).toBe(true)
    expect(files.createPrivateFileWith(path, 'second')).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe('first')
    expect(modeOf(path)).toBe(0o600)
    expect(readdirSync(scratch.path)).toEqual(['whole'])
  })

  it('copies nothing but files', () => {
    const to = makeScratch().at('to')
    expect(() => files.copyPrivately('/dev/null', to)).toThrow('/dev/null is not a regular file')
    expect(files.sizeOf(to)).toBeNull()
  })

  it('is copied for its owner only, and an earlier copy is kept', () => {
    const scratch = makeScratch()
    const from = scratch.file('from', 'one')
    chmodSync(from, 0o644)
    files.copyPrivately(from, scratch.at('to'))
    expect(modeOf(scratch.at('to'))).toBe(0o600)
    writeFileSync(from, 'two')
    files.copyPrivately(from, scratch.at('to'))
    expect(readFileSync(scratch.at('to'), 'utf8')).toBe('one')
  })

  it('is told from another one of the same name', () => {
    const scratch = makeScratch()
    const path = scratch.file('a')
    const before = files.identityOf(path)
    writeFileSync(path, 'changed')
    expect(files.identityOf(path)).toBe(before)
    scratch.file('b')
    expect(files.identityOf(scratch.at('b'))).not.toBe(before)
    expect(files.identityOf(scratch.at('none'))).toBeNull()
    expect(files.sizeOf(path)?.bytes).toBe(7)
    expect(files.sizeOf(scratch.at('none'))).toBeNull()
  })

  it('is read as far as asked, and null where there is none', () => {
    const scratch = makeScratch()
    const path = scratch.file('a', 'abcdef')
    expect(files.readIfExists(path, 3)?.toString()).toBe('abc')
    expect(files.readIfExists(path)?.toString()).toBe('abcdef')
    expect(files.readIfExists(scratch.at('none'))).toBeNull()
    expect(files.namesIn(scratch.path)).toEqual(['a'])
    expect(files.namesIn(scratch.at('none'))).toEqual([])
  })

  it('has a beginning that can be overwritten again and again', () => {
    const scratch = makeScratch()
    const path = scratch.file('record', 'xxxxx and the rest')
    const record = files.openRecordFile(path)
    for (const text of ['11111', '22222']) record.write(Buffer.from(text))
    record.sync()
    record.close()
    expect(readFileSync(path, 'utf8')).toBe('22222 and the rest')
    expect(readdirSync(join(path, '..'))).toEqual(['record'])
  })
})
