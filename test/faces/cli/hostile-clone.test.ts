import { symlinkSync, writeFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ODD_FILES, putOdd } from '../../harness/odd-files.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { someOf } from '../../harness/long-run.ts'

function openShop(): Shop {
  const shop = makeShop({ 'a.txt': 'text' })
  onTestFinished(shop.remove)
  return shop
}

const LIST = ['call', 'list_directory', '{"path":"."}']

describe('the command line in a hostile clone', () => {
  it.each(someOf(Object.keys(ODD_FILES), 2))(
    'refuses a configuration that is %s, with what to do',
    async (kind) => {
      const shop = openShop()
      const path = join(shop.root, '.tongs.toml')
      putOdd(path, kind)
      for (const words of [LIST, ['doctor'], ['trust'], ['config']]) {
        const { code, err } = await shopHere(shop).tongs(words)
        expect(code, words[0]).toBe(2)
        expect(err).toMatch(
          /\.tongs\.toml: (cannot be read: )?it (is|has) .*(replace it with a regular file|make it smaller)/,
        )
        expect(err).not.toContain('unexpected')
      }
    },
  )

  it.each(someOf(['a link to an endless device', 'a named pipe', 'a folder', 'a huge file'], 2))(
    'refuses own files that are %s: the configuration of the user, and the list of trusted ones',
    async (kind) => {
      const shop = openShop()
      const own = join(shop.root, '..', 'config', 'tongs', 'config.toml')
      putOdd(own, kind)
      const first = await shop.tongs(LIST)
      expect([first.code, first.err]).toEqual([2, expect.stringContaining(`${own}: cannot be read: it `)])
      putOdd(own, 'none')
      shop.put('.tongs.toml', '')
      putOdd(join(shop.stateDir, 'trust.json'), kind)
      const second = await shop.tongs(LIST)
      expect([second.code, second.err]).toEqual([
        2,
        expect.stringContaining('trust.json: cannot be read: it '),
      ])
    },
  )

  it('takes a configuration of the user that is a link', async () => {
    const shop = openShop()
    const own = join(shop.root, '..', 'config', 'tongs', 'config.toml')
    mkdirSync(dirname(own), { recursive: true })
    writeFileSync(join(shop.root, '..', 'dotfile'), 'nonsense = 1\n')
    symlinkSync('../../dotfile', own)
    const { code, err } = await shop.tongs(LIST)
    expect(code).toBe(2)
    expect(err).toContain('nonsense')
  })
})
