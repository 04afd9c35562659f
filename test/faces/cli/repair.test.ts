import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { makeShop, shopHere, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []
afterEach(() => {
  for (const shop of shops.splice(0)) shop.remove()
})

async function damagedShop(sql: string): Promise<Shop> {
  const made = makeShop({ 'a.txt': 'a\n' })
  shops.push(made)
  const shop = shopHere(made)
  await shop.batch([writes('one'), writes('two')], '--yes')
  const database = new DatabaseSync(join(shop.stateDir, 'journal.db'))
  database.exec(sql)
  database.close()
  return shop
}

describe('a damaged entry', () => {
  it.for(['batch', 'settled'])('%s leaves its session open, is named, and can be sealed', async (kind) => {
    const shop = await damagedShop(
      `UPDATE log SET body = '{ torn' WHERE id = (SELECT min(id) FROM log WHERE kind = '${kind}')`,
    )
    const write = await shop.batch([writes('three')], '--yes')
    expect([write.code, write.rows[0]?.execution.state, shop.get('three')]).toEqual([
      0,
      'COMPLETED',
      'three\n',
    ])
    const log = await shop.tongs(['log'])
    expect([log.code, log.out]).toEqual([0, expect.stringMatching(/damaged +Entry \d+/)])
    expect((await shop.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(shop.get('three')).toBeNull()
    expect((await shop.tongs(['recover'])).code).toBe(0)
    expect((await shop.tongs(['forget', 'cli'])).code).toBe(0)
    expect((await shop.tongs(['audit', 'verify'])).code).toBe(1)
    const repair = await shop.tongs(['repair'])
    expect([repair.code, repair.out]).toEqual([0, expect.stringContaining('Sealed in session cli')])
    expect(readdirSync(shop.stateDir).some((name) => name.includes('.before-repair-'))).toBe(true)
    const verify = await shop.tongs(['audit', 'verify'])
    expect([verify.code, verify.out]).toEqual([0, expect.stringContaining('1 sealed')])
  })
})

it('a planted trigger is refused by every command that writes, and taken out by a repair', async () => {
  const shop = await damagedShop(
    "CREATE TRIGGER drops AFTER INSERT ON log BEGIN DELETE FROM log WHERE kind = 'payload'; END",
  )
  const write = await shop.batch([writes('three')], '--yes')
  expect([write.code, write.err, shop.get('three')]).toEqual([1, expect.stringContaining('"drops"'), null])
  expect((await shop.tongs(['audit', 'verify'])).err).toContain('trigger "drops"')
  expect(JSON.parse((await shop.tongs(['repair', '--json'])).out)).toMatchObject({ ok: true, sealed: [] })
  expect((await shop.batch([writes('three')], '--yes')).code).toBe(0)
})

it('the copy of a database that was found damaged is named by forget and doctor, as nothing is erased from it', async () => {
  const shop = await damagedShop('SELECT 1')
  const path = join(shop.stateDir, 'journal.db')
  const whole = readFileSync(path)
  const torn = Buffer.from(whole)
  torn.fill(0xff, 100, 140)
  writeFileSync(path, torn)
  expect((await shop.batch([writes('three')], '--yes')).err).toContain('is damaged')
  writeFileSync(path, whole)
  const copies = readdirSync(shop.stateDir).filter((name) => name.startsWith('journal.db.damaged-'))
  expect(copies).toHaveLength(1)
  expect((await shop.tongs(['forget', 'cli'])).err).toContain(copies[0])
  expect((await shop.tongs(['doctor'])).out).toContain(copies[0])
})

it('a journal that was removed is not said to be none yet, and repair says what is lost with it', async () => {
  const shop = await damagedShop('SELECT 1')
  for (const name of readdirSync(shop.stateDir))
    if (name.startsWith('journal.db')) rmSync(join(shop.stateDir, name))
  const gone = 'removed, but its anchors are still there'
  const repair = await shop.tongs(['repair'])
  expect([repair.code, repair.out]).toEqual([1, expect.stringContaining(gone)])
  expect(repair.out).toContain('no edit can be undone')
  expect(JSON.parse((await shop.tongs(['repair', '--json'])).out)).toMatchObject({ ok: false, copy: null })
  expect((await shop.tongs(['doctor'])).out).toMatch(new RegExp(`!! +journal +has been ${gone}`))
  const fresh = makeShop({})
  shops.push(fresh)
  const none = await shopHere(fresh).tongs(['repair'])
  expect([none.code, none.out]).toEqual([0, 'There is no journal yet.\n'])
})
