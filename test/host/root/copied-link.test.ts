import { spawnSync } from 'node:child_process'
import { chmodSync, lchownSync, lstatSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { copyName } from '../../../src/host/root/move-name.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { NOBODY, runOrdinary } from '../../harness/ordinary-user.ts'
import { makeScratch } from '../../harness/scratch.ts'

const inNs = (path: string): bigint => lstatSync(path, { bigint: true }).mtimeNs

it.each(['1000000000.123456789', '1795011861.227770389', '1700000000', '-86400.5'])(
  'a link that is copied to another file system keeps its time to the nanosecond: %s',
  (time) => {
    const scratch = makeScratch()
    const [source, target] = [openRoot(scratch.folder('from')), openRoot(scratch.folder('to'))]
    onTestFinished(source.close)
    onTestFinished(target.close)
    symlinkSync('nowhere', scratch.at('from/link'))
    expect(spawnSync('touch', ['-h', '-d', `@${time}`, scratch.at('from/link')]).status).toBe(0)
    copyName({ root: source, rel: 'link' }, { root: target, rel: 'copy' })
    expect(readdirSync(scratch.at('to'))).toEqual(['copy'])
    expect(readlinkSync(scratch.at('to/copy'))).toBe('nowhere')
    expect(inNs(scratch.at('to/copy'))).toBe(inNs(scratch.at('from/link')))
  },
)

it('a link is copied with its time also to a folder that its user may write to but not read', () => {
  const scratch = makeScratch()
  chmodSync(scratch.path, 0o755)
  const [from, to] = [scratch.folder('from'), scratch.folder('to')]
  chmodSync(from, 0o755)
  symlinkSync('nowhere', scratch.at('from/link'))
  expect(spawnSync('touch', ['-h', '-d', '@1000000000.123456789', scratch.at('from/link')]).status).toBe(0)
  if (process.getuid?.() === 0) lchownSync(scratch.at('from/link'), NOBODY, NOBODY)
  chmodSync(to, 0o333)
  onTestFinished(() => chmodSync(to, 0o755))
  expect(runOrdinary(new URL('copied-link-child.ts', import.meta.url), from, to)).toEqual({ isExact: true })
})
