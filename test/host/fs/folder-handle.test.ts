import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lendFolderBelow, makeFolderBelow } from '../../../src/host/fs/folder-handle.ts'
import { makeScratch } from '../../harness/scratch.ts'

describe('a folder below a base', () => {
  it('is opened and made from there down, and never behind a link', () => {
    const scratch = makeScratch()
    const base = scratch.folder('base')
    scratch.folder('outside')
    scratch.link('base/way', scratch.at('outside'))
    expect(makeFolderBelow(base, scratch.at('base/way/made'))).toBe(false)
    expect(makeFolderBelow(base, scratch.at('outside/made'))).toBe(false)
    expect(existsSync(scratch.at('outside/made'))).toBe(false)
    expect(lendFolderBelow(base, scratch.at('base/way'), () => true)).toBeNull()
    // Control: without a link it is made, with what is above it, and is fine if it is there.
    expect(makeFolderBelow(base, scratch.at('base/one/two'))).toBe(true)
    expect(makeFolderBelow(base, scratch.at('base/one/two'))).toBe(true)
    expect(existsSync(scratch.at('base/one/two'))).toBe(true)
  })
})
