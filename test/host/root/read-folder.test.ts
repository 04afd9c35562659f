import { mkfifoSync } from './make-odd-files.ts'
import { describe, expect, it } from 'vitest'
import { readFolder, readOneByOne } from '../../../src/host/root/read-folder.ts'
import { makeScratch } from '../../harness/scratch.ts'

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

describe('reading a folder on a file system that does not tell kinds', () => {
  it('finds the same as where it does', () => {
    const scratch = makeScratch()
    scratch.file('f.txt')
    scratch.folder('d')
    scratch.link('link', 'f.txt')
    mkfifoSync(scratch.at('pipe'))
    scratch.file('ü')
    expect(readOneByOne(scratch.path).toSorted(byName)).toEqual(readFolder(scratch.path).toSorted(byName))
  })
})
