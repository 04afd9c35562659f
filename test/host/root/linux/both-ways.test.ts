import * as fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../../../src/core/error.ts'
import { WITHOUT_NATIVE } from '../../../../src/host/native/load-native.ts'
import { openLinuxRoot } from '../../../../src/host/root/linux/linux.ts'
import type { Root } from '../../../../src/host/root/root.ts'
import { ALWAYS_NATIVE } from '../../../harness/native.ts'
import { FASTEST, makeScratch } from '../../../harness/scratch.ts'
import type { Scratch } from '../../../harness/scratch.ts'
import { mkfifoSync } from '../make-odd-files.ts'
import { roundsOf } from '../../../harness/long-run.ts'

/** A root with everything that a path can lead through. */
function layOut(): Scratch {
  const scratch = makeScratch(FASTEST)
  scratch.file('outside/secret.txt', 'from outside')
  for (const folder of ['root/a/b/a', 'root/b']) {
    scratch.file(`${folder}/f`, folder)
    scratch.link(`${folder}/up`, '..')
    scratch.link(`${folder}/out`, '../../../outside')
    scratch.link(`${folder}/loop`, 'loop')
    scratch.link(`${folder}/far`, scratch.at('outside/secret.txt'))
    scratch.link(`${folder}/back`, scratch.at('root/b'))
    scratch.link(`${folder}/gone`, 'nowhere')
    mkfifoSync(scratch.at(folder, 'pipe'))
  }
  scratch.folder('root/closed/in')
  fs.chmodSync(scratch.at('root/closed'), 0o000)
  fs.writeFileSync(Buffer.from(`${scratch.at('root')}/b/\xff`, 'latin1'), 'not UTF-8')
  scratch.file('root/b/\u{1F600}', 'UTF-8')
  return scratch
}

const PARTS = [
  'a',
  'b',
  'f',
  'up',
  'out',
  'loop',
  'far',
  'back',
  'gone',
  'pipe',
  'closed',
  'in',
  'none',
  'secret.txt',
  '\uDCFF',
  '\u{1F600}',
  '\uD800',
  'f\0',
  'f\0f',
  '',
  '.',
  '..',
  'n'.repeat(256),
]

/** What a call answers, or the error that it fails with, such that two of them can be compared. */
function outcomeOf(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof ToolFailure) return error.error
    throw error
  }
}

const CALLS: readonly ((root: Root, rel: string) => unknown)[] = [
  (root, rel) => root.stat(rel),
  (root, rel) => root.resolve(rel),
  (root, rel) => {
    const file = root.openFile(rel)
    try {
      return [file.stat, Buffer.from(file.readAll(100)).toString()]
    } finally {
      file.close()
    }
  },
  (root, rel) => {
    const seen: unknown[] = []
    root.walk(rel, (entry) => {
      seen.push([entry.exactPath, entry.kind, entry.stat()])
      return 'enter'
    })
    return seen
  },
]

const rels = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('/'))

describe('the Linux root with native code', () => {
  it('answers and refuses in the same words as without it, whatever the path', () => {
    const scratch = layOut()
    const native = openLinuxRoot(scratch.at('root'), ALWAYS_NATIVE)
    const reference = openLinuxRoot(scratch.at('root'), WITHOUT_NATIVE)
    fc.assert(
      fc.property(rels, fc.constantFrom(...CALLS), (rel, call) => {
        expect(outcomeOf(() => call(native, rel))).toEqual(outcomeOf(() => call(reference, rel)))
      }),
      { numRuns: roundsOf(150, 1500) },
    )
    native.close()
    reference.close()
    for (const call of CALLS)
      expect(outcomeOf(() => call(native, 'b/f'))).toEqual(outcomeOf(() => call(reference, 'b/f')))
    fs.chmodSync(scratch.at('root/closed'), 0o700)
  })
})
