import { describe, expect, it } from 'vitest'
import { openApp, READY } from './app-pane.ts'
import { someOf } from '../../harness/long-run.ts'

const lines = (changed: readonly number[] = []): string =>
  Array.from({ length: 40 }, (_, at) => `${changed.includes(at + 1) ? 'new' : ''}${at + 1}\n`).join('')

const CALL = 'run_shell {"cmd":["sed","-i","-e","s/^5$/new5/","-e","s/^20$/new20/","a.txt","b.txt"]}'

describe('choosing hunks in the app, in a real terminal', () => {
  it.each(someOf([60, 100], 1))(
    'lands the typed hunks of what a command changed, on %i columns',
    async (columns) => {
      const app = await openApp({ files: { 'a.txt': lines(), 'b.txt': lines() }, columns, rows: 60 })
      await app.until(READY)
      await app.send(CALL)
      const sheet = await app.until(/o land it/)
      expect(sheet).toContain('It has run. May what it changed land?')
      expect(sheet).toMatch(/s some hunks[^]*d discard it/)
      await app.press('Tab')
      await app.until(/Tab less/)
      await app.answer('s', /Which hunks, of 4\?/)
      await app.type('9')
      await app.press('Enter')
      await app.until(/there is no hunk 9/)
      await app.press('C-u')
      // Down to the last row, so that all of it was seen.
      await app.press('PageDown')
      await app.press('PageDown')
      await app.until(/\[4\] lines 17-23/)
      await app.type('2 3')
      await app.press('Enter')
      await app.until(/Changed: a\.txt \(modified\),\s+b\.txt \(modified\)\.\s+\/undo\s+reverts it\./)
      expect([app.shop.get('a.txt'), app.shop.get('b.txt')]).toEqual([lines([20]), lines([5])])
      // What landed is shown before the call has ended.
      await app.until(/^ \/help /m)
      await app.send('/undo')
      await app.answer('Enter', /will be restored/)
      await app.answer('y', /Undone/)
      expect([app.shop.get('a.txt'), app.shop.get('b.txt')]).toEqual([lines(), lines()])
    },
  )

  it('Escape goes back to the question, and a no discards what the command changed', async () => {
    const app = await openApp({ files: { 'a.txt': lines(), 'b.txt': lines() }, rows: 60 })
    await app.until(READY)
    await app.send(CALL)
    await app.until(/o land it/)
    await app.answer('s', /Which hunks/)
    await app.press('Escape')
    await app.until(/o land it/)
    await app.answer('d', /Enter discards it/)
    await app.type('not now')
    await app.press('Enter')
    await app.until(/run_shell[^]*Denied by the user: not now/)
    expect(app.shop.get('a.txt')).toBe(lines())
  })
})
