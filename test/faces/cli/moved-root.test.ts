import { cpSync, renameSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'

it('a root that was renamed is told where its history is, and has it again under its old name', async () => {
  const shop = makeShop()
  onTestFinished(shop.remove)
  const args = JSON.stringify({ path: 'a.txt', content: 'a\n' })
  expect((await shop.tongs(['call', 'write_file', args, '--yes', '--root', shop.root])).code).toBe(0)
  const moved = `${shop.root}-moved`
  renameSync(shop.root, moved)
  const here = shopHere(shop)
  const log = await here.tongs(['log', '--root', moved])
  expect(log.err).toBe(
    `tongs: this folder was ${shop.root}; to go on with its history, run tongs adopt ${shop.root}\n`,
  )
  expect((await here.tongs(['undo', '--yes', '--root', moved])).err).toContain(`tongs adopt ${shop.root}`)
  // A folder that is not known to be the same one is told what could be meant.
  cpSync(moved, `${moved}-copy`, { recursive: true })
  const copied = await here.tongs(['log', '--root', `${moved}-copy`])
  expect(copied.err).toContain(`${shop.root} has a history and is gone`)
  expect(copied.err).toContain(`tongs log --root ${shop.root}`)
  renameSync(moved, shop.root)
  const undone = await here.tongs(['undo', '--yes', '--root', shop.root])
  expect([undone.code, undone.err]).toEqual([0, ''])
  expect(shop.get('a.txt')).toBeNull()
})

it('the history of a root that is gone can be read by its old name, and only that', async () => {
  const shop = makeShop()
  onTestFinished(shop.remove)
  const args = JSON.stringify({ path: 'a.txt', content: 'a\n' })
  const done = await shop.tongs(['call', 'write_file', args, '--yes', '--json'])
  const here = shopHere(shop)
  const readings = [
    ['log'],
    ['log', '--json', '--last', '2'],
    ['why', done.rows[0]?.execution.id ?? ''],
    ['stats'],
  ]
  const read = async (): Promise<readonly unknown[]> => {
    const ends = []
    for (const words of readings) ends.push(await here.tongs([...words, '--root', shop.root]))
    return ends
  }
  const before = await read()
  const moved = `${shop.root}-moved`
  renameSync(shop.root, moved)
  expect(await read()).toEqual(before)
  for (const words of [
    ['undo', '--yes'],
    ['call', 'write_file', args, '--yes'],
    ['pending'],
    ['audit', 'verify'],
  ]) {
    const end = await here.tongs([...words, '--root', shop.root])
    expect(end).toMatchObject({ code: 2, err: expect.stringContaining(`cannot open folder ${shop.root}`) })
  }
  const never = await here.tongs(['log', '--root', `${shop.root}-never`])
  expect(never).toMatchObject({ code: 2, out: '', err: expect.stringContaining('cannot open folder') })
})
