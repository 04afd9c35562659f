import { renameSync } from 'node:fs'
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
  expect(log.err).toContain(`${shop.root} has a history and is gone`)
  expect((await here.tongs(['undo', '--yes', '--root', moved])).err).toContain('rename it back')
  renameSync(moved, shop.root)
  const undone = await here.tongs(['undo', '--yes', '--root', shop.root])
  expect([undone.code, undone.err]).toEqual([0, ''])
  expect(shop.get('a.txt')).toBeNull()
})
