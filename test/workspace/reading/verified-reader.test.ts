import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { createVerifiedReader } from '../../../src/workspace/reading/verified-reader.ts'
import type { Start } from '../../../src/workspace/reading/verified-reader.ts'
import { makeScratch } from '../../harness/scratch.ts'
import type { Scratch } from '../../harness/scratch.ts'
import { makeSandbox } from '../sandbox/make-sandbox.ts'

const WHOLE: readonly Start[] = [{ asked: '', rel: '' }]

/** What a visitor is shown of the rows that a search program claims to have found. */
function show(scratch: Scratch, starts: readonly Start[] = WHOLE) {
  const sandbox = makeSandbox(scratch)
  const shown: string[] = []
  let bytes: Uint8Array = new Uint8Array(0)
  const reader = createVerifiedReader({
    root: sandbox.roots[0],
    starts,
    sandbox,
    maxFileBytes: 100,
    visitor: {
      includes: (path) => path !== 'unwanted',
      open(path, content) {
        shown.push(path)
        bytes = content
        return true
      },
      match(line, from, to) {
        shown.push(`${line} ${Buffer.from(bytes.subarray(from, to)).toString()}`)
        return 'more'
      },
      tick: () => undefined,
    },
  })
  const claim = (path: string, rows: readonly (readonly [number, number, string])[]): void => {
    if (!reader.file(Buffer.from(path).toString('latin1'))) return
    for (const [line, offset, text] of rows) reader.row(line, offset, Buffer.from(text))
  }
  return { shown, claim, reader }
}

describe('what a search program claims', () => {
  it('is shown where the file has it', () => {
    const scratch = makeScratch()
    scratch.file('root/ä/f.txt', 'one\ntwo\n')
    const { shown, claim } = show(scratch)
    claim('ä/f.txt', [
      [1, 0, 'one'],
      [2, 4, 'two'],
    ])
    expect(shown).toEqual(['ä/f.txt', '1 one', '2 two'])
  })

  it('is not shown where the file inside has other bytes: they were read elsewhere', () => {
    const scratch = makeScratch()
    scratch.file('root/f.txt', 'inside!')
    const { shown, claim } = show(scratch)
    claim('f.txt', [
      [1, 0, 'outside'],
      [1, 3, 'ide!'],
      [1, 3, 'ide!?'],
      [9, 900, 'x'],
    ])
    expect(shown).toEqual(['f.txt', '1 ide!'])
  })

  it('is not even opened through a link, when denied, gone, odd, too large or not wanted', () => {
    const scratch = makeScratch()
    scratch.file('outside/secret', 'secret')
    scratch.link('root/link', '../outside')
    scratch.link('root/to-secret', '../outside/secret')
    scratch.file('root/.env', 'secret')
    scratch.file('root/large', 'x'.repeat(101))
    scratch.file('root/unwanted')
    scratch.folder('root/folder')
    const { shown, claim } = show(scratch)
    for (const path of [
      'link/secret',
      'to-secret',
      '../outside/secret',
      '.env',
      'large',
      'unwanted',
      'folder',
      'gone',
    ])
      claim(path, [[1, 0, 'secret']])
    expect(shown).toEqual([])
  })

  it('counts without the byte order mark', () => {
    const scratch = makeScratch()
    scratch.file('root/f', '\uFEFFone')
    const { shown, claim } = show(scratch)
    claim('f', [[1, 0, 'one']])
    expect(shown).toEqual(['f', '1 one'])
  })

  it('is shown once, also when a second run says it again', () => {
    const scratch = makeScratch()
    scratch.file('root/a', 'x')
    scratch.file('root/b', '12345')
    const { shown, claim, reader } = show(scratch)
    const rows = [1, 2, 3, 4, 5].map((digit) => [1, digit - 1, String(digit)] as const)
    claim('a', [[1, 0, 'x']])
    claim('b', rows.slice(0, 2))
    reader.beginAgain()
    scratch.file('root/c', 'y')
    claim('c', [[1, 0, 'y']])
    claim('b', rows)
    claim('a', [[1, 0, 'x']])
    expect(shown).toEqual(['a', '1 x', 'b', '1 1', '1 2', 'c', '1 y', 'b', '1 3', '1 4', '1 5'])
  })

  it('carries the path that was asked for, if that begins with a link', () => {
    const scratch = makeScratch()
    scratch.file('root/real/deep/f', 'x')
    const { shown, claim } = show(scratch, [{ asked: 'link', rel: 'real' }])
    claim('real/deep/f', [[1, 0, 'x']])
    expect(shown).toEqual(['link/deep/f', '1 x'])
  })
})
