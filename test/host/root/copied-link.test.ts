import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { copyName } from '../../../src/host/root/move-name.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
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
