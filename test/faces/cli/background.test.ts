import { expect, it } from 'vitest'
import { useShops } from './command-line.ts'

const makeShop = useShops()

it('a command that still runs in the background is stopped with the tongs that started it, which says so', async () => {
  const { tongs } = makeShop()
  const args = JSON.stringify({ cmd: ['sleep', '1000'], background: true })
  const left = await tongs(['call', 'run_shell', args, '--yes'])
  expect(left).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^tongs: stopped sleep 1000, which ran in the background/),
  })
  const ended = await tongs(['call', 'run_shell', args.replace('1000', '0'), '--yes'])
  expect(ended).toMatchObject({ code: 0, err: '' })
})
