import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openPortableRoot } from '../../../../src/host/root/portable/portable.ts'
import { failureOf, makeScratch } from '../../../harness/scratch.ts'
import { describeRoot } from '../root-contract.ts'

describeRoot('the portable root', (path) => openPortableRoot(path, 'checked'))

describe('the portable root: what it cannot do safely', () => {
  it('says that races are not excluded, and refuses every change unless that was accepted', () => {
    const scratch = makeScratch()
    scratch.file('f.txt', 'as it was')
    const root = openPortableRoot(scratch.path, 'refused')
    expect(root.isRaceFree).toBe(false)
    for (const change of [
      () => root.createExclusive('new.txt', 0o600),
      () => root.rename('f.txt', 'g.txt'),
      () => root.unlink('f.txt'),
      () => root.mkdir('d', 0o755),
      () => root.rmdir('d'),
    ]) {
      expect(failureOf(change)).toMatchObject({
        code: 'execution_failed',
        message: expect.stringContaining('races'),
      })
    }
    expect(readFileSync(scratch.at('f.txt'), 'utf8')).toBe('as it was')
    expect(existsSync(scratch.at('new.txt')) || existsSync(scratch.at('d'))).toBe(false)
  })
})
