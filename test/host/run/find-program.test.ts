import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram, findPrograms, findReplacing } from '../../../src/host/run/find-program.ts'
import { makeScratch } from '../../harness/scratch.ts'

function makeFolders() {
  const scratch = makeScratch()
  const program = (path: string): string => {
    const file = scratch.file(path, '#!/bin/sh\n')
    chmodSync(file, 0o755)
    return file
  }
  const folders = ['one', 'two'].map((name) => scratch.folder(name))
  program('two/late')
  program('one/early')
  program('two/early')
  scratch.file('one/late', 'no program')
  symlinkSync('early', join(scratch.at('two'), 'linked'))
  symlinkSync('gone', join(scratch.at('one'), 'linked'))
  writeFileSync(scratch.at('plain'), '')
  return { scratch, program, folders }
}

const OTHERS = Array.from({ length: 20_000 }, (_, at) => `no-such-program-${at}`)

describe('the programs of a line', () => {
  it.each([
    ['few', []],
    ['very many', OTHERS],
  ])('are the same if it names %s, each found as if it were the only one', (_, others) => {
    const { scratch, folders } = makeFolders()
    const path = [...folders, scratch.at('missing'), scratch.at('plain'), '', 'two', '/usr/bin', '/bin'].join(
      ':',
    )
    const lookup = { cwd: scratch.path, path, mayChange: () => false }
    const words = ['early', 'late', 'linked', 'sh', './two/late', './gone', '', '/bin/sh', '..', 'early']
    const alone = words.map((word) => findProgram(word, lookup))
    expect(alone[0]?.path).toBe(join(scratch.path, 'one/early'))
    expect(alone[1]?.path).toBe(join(scratch.path, 'two/late'))
    expect(alone[2]?.path).toBe(join(scratch.path, 'two/early'))
    expect(findPrograms([...words, ...others], lookup).slice(0, words.length)).toEqual(alone)
  })

  it('are named as replaced where a folder has ten thousand of them', () => {
    const { scratch, program, folders } = makeFolders()
    for (let at = 0; at < 10_000; at++) writeFileSync(scratch.at(`one/p${at}`), '')
    const early = join(scratch.path, 'one/early')
    expect(findReplacing(folders[0] ?? '', folders.join(':'))).toEqual([['early', early]])
    program('one/linked-too')
    expect(findReplacing(folders[0] ?? '', folders.join(':'))).toHaveLength(1)
  })
})
