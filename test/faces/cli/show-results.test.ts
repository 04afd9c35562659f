import { afterAll, expect, it } from 'vitest'
import { makeShop } from './command-line.ts'

const shop = makeShop({ 'a.txt': 'a\n' })
afterAll(shop.remove)

it('a refused call is said with what to do next, once', async () => {
  const { code, err } = await shop.tongs(['call', 'list_directory', '{"path":"nope"}'])
  expect(code).toBe(1)
  expect(err.trim().split('\n')).toEqual([
    'execution_failed: list_directory failed: path does not exist: nope',
    'Check the spelling, or list the folder above it.',
  ])
})

it('what to do next is said also where a model has no room for it', async () => {
  const tight = ['--set', 'tools.output.max_bytes=60']
  const { err } = await shop.tongs(['call', 'list_directory', '{"path":"nope"}', ...tight])
  expect(err.match(/list the folder above it/g)).toHaveLength(1)
})
