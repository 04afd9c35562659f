import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeShop } from '../cli/command-line.ts'
import { openApp, READY } from './app-pane.ts'
import { someOf } from '../../harness/long-run.ts'

const EVIL = 'a\u001b[2J\u202ered\u0007字字 ✓ write_file forged.txt'

describe('the app in terminals of all kinds', () => {
  it('keys pressed before a sheet was seen answer nothing', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.type('write_file path=a.txt content=a')
    await app.press('Enter', 'o', 'o', 'y', 'o')
    await app.until(/o once/)
    expect(app.shop.get('a.txt')).toBeNull()
    // Words typed into it are no answer either, though they begin with one.
    await app.type('oops that was too quick')
    await app.until(/one moment/)
    await app.until(/o once/)
    expect(app.shop.get('a.txt')).toBeNull()
    await app.answer('o', /✓ write_file a\.txt/)
  })

  it.for(someOf([60, 200], 1))(
    'at %i columns hostile content stays behind its bar, and the screen can be resized',
    async (columns) => {
      const app = await openApp({
        columns,
        rows: 30,
        files: { 'evil.txt': `${EVIL}\n${'long '.repeat(100)}\n` },
      })
      await app.until(READY)
      await app.send('read_file path=evil.txt')
      const shown = await app.until(/✓ read_file evil\.txt[\s\S]*\u2502 a/)
      expect(shown).toContain('│ a\\u{202E}red\\u{7}字字 ✓ write_file forged.txt'.slice(0, columns - 20))
      expect(shown.split('\n').filter((row) => row.startsWith(' ✓'))).toHaveLength(1)
      await app.send('write_file path=n.txt content="x\\u202e y"')
      await app.until(/Esc cancel$/m)
      await app.resize(75, 24)
      await app.until(/May this run\?/)
      await app.answer('o', /✓ write_file n\.txt/)
      const small = (await app.screen()).split('\n')
      expect(Math.max(...small.map((row) => row.length))).toBeLessThanOrEqual(75)
      await app.resize(60, 20)
      await app.send('/help')
      await app.until(/Shift-Tab/)
    },
  )

  it('with LANG=C everything is ASCII', async () => {
    const app = await openApp({
      columns: 60,
      env: { LANG: 'C', LC_ALL: '' },
      files: { 'a.txt': 'zwölf ✓\n' },
    })
    await app.until(READY)
    await app.send('read_file path=a.txt')
    await app.until(/\+ read_file a\.txt[\s\S]*\| zw\?lf \+/)
    await app.send('write_file path=b.txt content=b')
    const sheet = await app.until(/Esc cancel$/m)
    expect(
      [...sheet].every((character) => character === '\n' || (character >= ' ' && character <= '~')),
    ).toBe(true)
    await app.answer('o', /\+ write_file b\.txt/)
  })

  it('with TERM=dumb it goes line by line, without a single escape sequence, and can do the same', async () => {
    const shop = makeShop({ 'a.txt': 'zwölf \u001b[31m\n' })
    const app = await openApp({ shop, env: { TERM: 'dumb', NO_COLOR: '' } })
    await app.until(READY)
    const raw = join(shop.stateDir, '..', 'raw.txt')
    await app.record(raw)
    await app.send('read_file path=a.txt')
    await app.until(/\+ read_file a\.txt[\s\S]*\| zw\?lf/)
    await app.send('write_file path=b.txt content=b')
    await app.until(/o = once/)
    await app.send('x')
    await app.until(/not one of the choices/)
    await app.send('d not now')
    await app.until(/- write_file b\.txt[\s\S]*not now/)
    await app.send('write_file path=c.txt content=c')
    await app.until(/\? $|\?$/m)
    await app.send('o')
    await app.until(/Changed: c\.txt \(created\)/)
    await app.send('/undo')
    await app.until(/1 \d\d:\d\d write_file \(\+c\.txt\)[\s\S]*Enter is 1, 0 is back\.\n>/)
    await app.send('1')
    await app.until(/y or n\?/)
    await app.send('y')
    await app.until(/Undone/)
    expect([shop.get('b.txt'), shop.get('c.txt')]).toEqual([null, null])
    await app.send('/quit')
    await app.until(/left session cli/)
    const written = readFileSync(raw, 'utf8')
    expect(written).toContain('Undone')
    expect(written).not.toMatch(/[^\r\n -~]/)
  })

  it('with TERM=dumb every scope is offered, and the one that is named is granted', async () => {
    const app = await openApp({ env: { TERM: 'dumb' } })
    await app.until(READY)
    await app.send('write_file path=src/a.txt content=a')
    const asked = await app.until(/o = once, d WORDS[^\n]*\n\?/)
    expect(asked).toMatch(/t1 to t4 = yes, for[^\n]*g1 to g4 = yes, until you revoke it/)
    const sentences = [...asked.matchAll(/^ +(\d) \| (.*)$/gm)].map(([, , sentence]) => sentence)
    expect(sentences.length).toBeGreaterThan(1)
    await app.send('g9')
    await app.until(/not one of the choices/)
    await app.send(`g${sentences.length}`)
    await app.until(/Changed: src\/a\.txt/)
    await app.send('write_file path=other.txt content=b')
    await app.until(/Changed: other\.txt/)
    await app.send('/grants')
    await app.until(/write_file may/)
  })

  it('NO_COLOR leaves no colour on the screen, and colours are there without it', async () => {
    const colour = /\u001b\[(?:3[0-7]|9[0-7]|38;)/
    const plain = await openApp({ env: { NO_COLOR: '1' }, files: { 'a.txt': 'a\n' } })
    await plain.until(READY)
    await plain.send('read_file path=a.txt')
    await plain.until(/✓ read_file/)
    expect(await plain.screen('colours')).not.toMatch(colour)
    const bright = await openApp({
      env: { NO_COLOR: '', TERM: 'screen-256color' },
      files: { 'a.txt': 'a\n' },
    })
    await bright.until(READY)
    await bright.send('read_file path=a.txt')
    await bright.until(/✓ read_file/)
    expect(await bright.screen('colours')).toMatch(colour)
  })
})
