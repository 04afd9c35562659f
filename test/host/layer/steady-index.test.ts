import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { steadyIndexes } from '../../../src/host/layer/enter/steady-index.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { makeScratch } from '../../harness/scratch.ts'

/** An index of git that says about `.env`, as often as there are contents, that it has one of them. */
function indexOf(contents: readonly string[]): Buffer {
  const entries = contents.map((content) => {
    const entry = Buffer.alloc(72)
    entry.writeUInt32BE(0o100644, 24)
    hash('sha1', `blob ${content.length}\0${content}`, 'buffer').copy(entry, 40)
    entry.writeUInt16BE('.env'.length, 60)
    entry.write('.env', 62)
    return entry
  })
  const head = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(contents.length, 8)
  const whole = Buffer.concat([head, ...entries])
  return Buffer.concat([whole, hash('sha1', whole, 'buffer')])
}

it.each([
  ['shows that a hidden file is what it says', ['PIN=2\n'], 1],
  ['does not tell which of several guesses a hidden file is', ['PIN=1\n', 'PIN=2\n', 'PIN=3\n'], 0],
] as const)('an index %s', (_, contents, shown) => {
  const scratch = makeScratch()
  const file = scratch.file('root/.env', 'PIN=2\n')
  execFileSync('git', ['init', '-q'], { cwd: scratch.at('root') })
  writeFileSync(scratch.at('root/.git/index'), indexOf(contents))
  const { size, mtimeMs } = statSync(file)
  const root = openRoot(scratch.at('root'))
  const masks = [{ path: '.env', kind: 'file', size, modifiedMs: Math.floor(mtimeMs) }] as const
  const { indexes } = steadyIndexes(root, masks)
  root.close()
  expect(indexes).toHaveLength(shown)
})
