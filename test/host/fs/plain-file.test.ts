import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPlainFile, readTextIfExists } from '../../../src/host/fs/plain-file.ts'
import type { PlainFile } from '../../../src/host/fs/plain-file.ts'
import { ODD_FILES, putOdd } from '../../harness/odd-files.ts'
import { makeScratch } from '../../harness/scratch.ts'

const LIMIT = 10
const textOf = (found: PlainFile): string => (found.is === 'read' ? found.bytes.toString() : found.is)

describe('a file that nobody asked for', () => {
  for (const kind of Object.keys(ODD_FILES)) {
    it(`is refused at once in a project if it is ${kind}`, () => {
      const path = makeScratch().at('file')
      putOdd(path, kind)
      expect(readPlainFile(path, 'project', 1024 ** 2).is).toBe('refused')
      expect(() => readTextIfExists(path, 'project')).toThrow(
        kind.startsWith('a link') ? /it is a link, not a regular file; replace it/ : /; (replace|make) it/,
      )
    })
  }

  it.each([
    'a link to an endless device',
    'a named pipe',
    'a link to a named pipe',
    'a folder',
    'a huge file',
  ])('is refused at once among the own files of the user if it is %s', (kind) => {
    const path = makeScratch().at('file')
    putOdd(path, kind)
    expect(readPlainFile(path, 'own', 1024 ** 2).is).toBe('refused')
  })

  it('may be a link if the user put it there, also to the null device', () => {
    const scratch = makeScratch()
    scratch.file('real', 'text')
    expect(textOf(readPlainFile(scratch.link('link', 'real'), 'own', LIMIT))).toBe('text')
    expect(textOf(readPlainFile(scratch.link('none', '/dev/null'), 'own', LIMIT))).toBe('')
    expect(textOf(readPlainFile(scratch.at('link'), 'project', LIMIT))).toBe('refused')
    expect(textOf(readPlainFile(scratch.at('none'), 'project', LIMIT))).toBe('refused')
  })

  it('is read up to the limit and not beyond it, whatever its size is said to be', () => {
    const scratch = makeScratch()
    for (const origin of ['project', 'own', 'named'] as const) {
      expect(textOf(readPlainFile(scratch.file('full', '0123456789'), origin, LIMIT))).toBe('0123456789')
      expect(textOf(readPlainFile(scratch.file('over', '0123456789a'), origin, LIMIT))).toBe('refused')
      expect(textOf(readPlainFile(scratch.file('empty', ''), origin, LIMIT))).toBe('')
      expect(textOf(readPlainFile(scratch.at('nowhere'), origin, LIMIT))).toBe('missing')
      expect(textOf(readPlainFile(scratch.at('empty', 'below'), origin, LIMIT))).toBe('missing')
    }
    expect(textOf(readPlainFile('/proc/self/status', 'own', LIMIT))).toBe('refused')
    expect(textOf(readPlainFile('/proc/self/comm', 'own', 1_000))).not.toBe('')
    expect(textOf(readPlainFile('/dev/zero', 'named', LIMIT))).toBe('refused')
  })

  it('says what is wrong and what to do', () => {
    const scratch = makeScratch()
    const path = scratch.file('large', 'x'.repeat(LIMIT + 1))
    expect(() => readTextIfExists(path, 'own', LIMIT)).toThrow(
      `cannot read ${path}: it has more than 10 bytes, the limit for such a file; make it smaller or remove it`,
    )
    chmodSync(path, 0)
    if (process.getuid?.() !== 0)
      expect(() => readTextIfExists(path, 'own')).toThrow('permission denied; make it')
  })
})
