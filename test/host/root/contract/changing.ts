import { Buffer } from 'node:buffer'
import * as fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../../src/core/error.ts'
import type { PlaceEnd } from '../../../../src/host/root/root.ts'
import { codeOf, failureOf } from '../../../harness/scratch.ts'
import { readText, scratchWith } from './setup.ts'
import type { OpenRoot } from './setup.ts'

/** The code of the failure; undefined if it was only not possible. */
function codeOrEnd(place: () => PlaceEnd): string | undefined {
  let end: PlaceEnd = 'done'
  try {
    end = place()
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return thrown.error.code
    throw thrown
  }
  expect(end).toBe('not possible')
  return undefined
}

/** What the journal needs. */
export function describeChanging(rootName: string, open: OpenRoot): void {
  const inScratch = scratchWith(open)

  describe(`${rootName}: changing`, () => {
    it(
      'creates, writes, renames and removes inside',
      inScratch((scratch, root) => {
        root.mkdir('d', 0o755)
        const file = root.createExclusive('d/new.txt', 0o600)
        file.write(Buffer.from('con'))
        file.write(Buffer.from('tent'))
        file.setMode(0o640)
        file.setOwner(file.stat().uid, file.stat().gid)
        file.sync()
        expect(file.stat()).toMatchObject({ size: 7, mode: 0o640 })
        file.close()
        file.close()
        expect(codeOf(() => file.write(Buffer.from('x')))).toBe('execution_failed')
        root.syncDir('d')
        root.syncDir('')
        scratch.file('root/e/target.txt', 'to be replaced')
        root.rename('d/new.txt', 'e/target.txt')
        expect(readText(root, 'e/target.txt')).toBe('content')
        root.unlink('e/target.txt')
        root.rmdir('e')
        root.rmdir('d')
        expect(root.list('')).toEqual([])
      }),
    )

    it(
      'refuses what stands in the way, with the original untouched',
      inScratch((scratch, root) => {
        scratch.file('root/d/f.txt', 'original')
        expect(failureOf(() => root.createExclusive('d/f.txt', 0o600))).toMatchObject({
          code: 'execution_failed',
          details: { errno: 'EEXIST' },
        })
        expect(codeOf(() => root.mkdir('d', 0o755))).toBe('execution_failed')
        expect(codeOf(() => root.rmdir('d'))).toBe('execution_failed')
        expect(codeOf(() => root.unlink('none'))).toBe('execution_failed')
        expect(codeOf(() => root.rename('none', 'd/f.txt'))).toBe('execution_failed')
        expect(codeOf(() => root.unlink(''))).toBe('execution_failed')
        expect(codeOf(() => root.createExclusive('no/folder/f.txt', 0o600))).toBe('execution_failed')
        expect(codeOf(() => root.createExclusive(`d/${'n'.repeat(256)}`, 0o600))).toBe('bad_args')
        expect(readText(root, 'd/f.txt')).toBe('original')
      }),
    )

    it(
      'FR-VAL-06: never creates, renames or removes through a link, not even a dangling one',
      inScratch((scratch, root) => {
        scratch.file('outside/f.txt', 'outside')
        scratch.link('root/door', '../outside')
        scratch.link('root/dangling', '../outside/new.txt')
        scratch.link('root/named', '../outside/f.txt')
        scratch.file('root/own.txt', 'own')
        const refused = ['path_outside_sandbox', 'execution_failed']
        expect(refused).toContain(codeOf(() => root.createExclusive('door/new.txt', 0o600)))
        expect(refused).toContain(codeOf(() => root.createExclusive('dangling', 0o600)))
        expect(refused).toContain(codeOf(() => root.mkdir('door/d', 0o755)))
        expect(refused).toContain(codeOf(() => root.unlink('door/f.txt')))
        expect(refused).toContain(codeOf(() => root.rename('own.txt', 'door/f.txt')))
        expect(refused).toContain(codeOf(() => root.rename('door/f.txt', 'stolen.txt')))
        expect(refused).toContain(codeOf(() => root.rmdir('door')))
        root.rename('own.txt', 'named')
        expect(fs.readFileSync(scratch.at('outside/f.txt'), 'utf8')).toBe('outside')
        expect(fs.readdirSync(scratch.at('outside'))).toEqual(['f.txt'])
        expect(readText(root, 'named')).toBe('own')
      }),
    )

    it(
      'exchanges two files, or takes a free name, in one step or not at all',
      inScratch((scratch, root) => {
        scratch.file('root/d/one.txt', 'one')
        scratch.file('root/e/other.txt', 'other')
        const content = (): string => `${readText(root, 'd/one.txt')} ${readText(root, 'e/other.txt')}`
        const exchanged = root.placeExactly('d/one.txt', 'e/other.txt', 'exchange')
        expect([exchanged, content()]).toEqual(
          exchanged === 'done' ? ['done', 'other one'] : ['not possible', 'one other'],
        )
        const now = content()
        expect(['taken', 'not possible']).toContain(root.placeExactly('d/one.txt', 'e/other.txt', 'new'))
        expect(root.placeExactly('d/one.txt', 'e/none.txt', 'exchange')).toBe('not possible')
        expect(content()).toBe(now)
        const placed = root.placeExactly('d/one.txt', 'e/new.txt', 'new')
        expect(fs.existsSync(scratch.at('root/e/new.txt'))).toBe(placed === 'done')
        expect(fs.existsSync(scratch.at('root/d/one.txt'))).toBe(placed !== 'done')
        scratch.link('root/door', '../outside')
        scratch.file('outside/f.txt', 'outside')
        expect(['path_outside_sandbox', 'execution_failed', undefined]).toContain(
          codeOrEnd(() => root.placeExactly('e/other.txt', 'door/f.txt', 'exchange')),
        )
        expect(fs.readFileSync(scratch.at('outside/f.txt'), 'utf8')).toBe('outside')
      }),
    )

    it(
      'sees its own renames of folders at once',
      inScratch((scratch, root) => {
        scratch.file('root/a/f.txt', 'first')
        scratch.file('root/b/f.txt', 'second')
        expect(readText(root, 'a/f.txt')).toBe('first')
        root.rename('a', 'c')
        root.rename('b', 'a')
        expect(readText(root, 'a/f.txt')).toBe('second')
        expect(readText(root, 'c/f.txt')).toBe('first')
      }),
    )
  })
}
