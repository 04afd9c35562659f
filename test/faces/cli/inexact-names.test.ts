import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shellWord } from '../../harness/shell-word.ts'
import { TONGS, useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'

const openShop = useShops()

/** A name that is not UTF-8, as printf of a shell writes it; beside it lies the one that its text would mean. */
const ODD = '"$(printf \'\\377\')"'
const LIST = `${shellWord(TONGS)} call list_directory '{"path":"."}' --no-input`

function shopWithBoth(): {
  readonly shop: Shop
  readonly sh: (script: string) => { code: number | null; out: string; err: string }
} {
  const shop = openShop({ '\uFFFD/other.txt': 'the other folder' })
  const sh = (script: string) => {
    const env = { ...process.env, TONGS_STATE_DIR: shop.stateDir }
    const ended = spawnSync('/bin/sh', ['-c', script], { cwd: shop.root, env })
    return { code: ended.status, out: String(ended.stdout), err: String(ended.stderr) }
  }
  expect(sh(`mkdir ${ODD} && echo mine > ${ODD}/mine.txt`).code).toBe(0)
  return { shop, sh }
}

describe.runIf(process.platform === 'linux')(
  'a name that is not UTF-8 is never taken for another one',
  () => {
    it.each([
      [
        'the folder that Tongs is started in',
        `cd ${ODD} && ${LIST}`,
        /the path of the current folder is not UTF-8/,
      ],
      ['a folder given by its name', `${LIST} --root ${ODD}`, /a word of the command line is not UTF-8/],
      ['a folder given in a word', `${LIST} --root=${ODD}`, /a word of the command line is not UTF-8/],
      [
        'a file left out of an undo',
        `${shellWord(TONGS)} undo --yes --except ${ODD}/mine.txt`,
        /is not UTF-8/,
      ],
      [
        'the folder of the state',
        `TONGS_STATE_DIR="$PWD"/${ODD} ${LIST}`,
        /the value of TONGS_STATE_DIR is not UTF-8/,
      ],
    ])('%s', (_title, script, says) => {
      const { code, out, err } = shopWithBoth().sh(script)
      expect([code, out]).toEqual([2, ''])
      expect(err).toMatch(says)
    })

    it('a folder behind a link', () => {
      const { shop, sh } = shopWithBoth()
      symlinkSync(Buffer.from([0xff]), join(shop.root, 'link'))
      const { code, out, err } = sh(`${LIST} --root link`)
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('cannot open folder link')
    })

    it('control: the folder that its text means can be used', () => {
      const { sh } = shopWithBoth()
      for (const script of [`cd '\uFFFD' && ${LIST} --root .`, `${LIST} --root '\uFFFD'`])
        expect(sh(script).out).toContain('other.txt')
    })
  },
)
