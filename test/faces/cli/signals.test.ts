import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ToolResult } from '../../../src/core/result.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const shop of shops) shop.remove()
})

interface Ended {
  readonly shop: Shop
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly rows: readonly ToolResult[]
  readonly err: string
  readonly events: readonly string[]
}

/** Runs the slow batch, and sends signals as soon as its first call has begun. */
async function interrupt(kind: 'hearing' | 'deaf', signals: readonly NodeJS.Signals[]): Promise<Ended> {
  const shop = makeShop()
  shops.push(shop)
  const file = join(shop.stateDir, '..', 'events.txt')
  const words = [join(import.meta.dirname, 'signal-child.ts'), shop.root, shop.stateDir, kind]
  const child = spawn(process.execPath, words, { env: shop.env, detached: true })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on('close', (code, signal) => resolve([code, signal])),
  )
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const signal of signals) {
    child.kill(signal)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const [code, signal] = await ended
  const rows = out
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as ToolResult] : []))
  return { shop, code, signal, rows, err, events: readFileSync(file, 'utf8').trim().split('\n') }
}

describe('signals', () => {
  it.for([
    ['SIGINT', ['SIGINT']],
    ['a second and a third SIGINT', ['SIGINT', 'SIGINT', 'SIGINT']],
    ['SIGTERM', ['SIGTERM']],
    ['SIGHUP', ['SIGHUP']],
    ['both', ['SIGTERM', 'SIGINT']],
  ] as const)(
    '%s: the running call is rolled back, the rest cancelled, all of it recorded, and the session given up',
    async ([, signals]) => {
      const { shop, code, signal, rows, events } = await interrupt('hearing', signals)
      expect([code, signal]).toEqual([130, null])
      expect(outcomes(rows)).toEqual(['cancelled', 'cancelled', 'cancelled'])
      expect(rows.map(({ content }) => content)).toEqual([
        'Cancelled by user',
        'Cancelled by user',
        'Cancelled by user',
      ])
      expect(events).toEqual(['begun', 'told'])
      expect(shop.get('half.txt')).toBeNull()
      const here = shopHere(shop)
      const { out } = await here.tongs(['log', '--json'])
      expect(out.split('\n').filter((line) => line.includes('"kind":"settled"'))).toHaveLength(3)
      expect(
        (await here.tongs(['call', 'list_directory', '{"path":"."}', '--session', 'default'])).code,
      ).toBe(0)
      expect((await here.tongs(['audit', 'verify'])).code).toBe(0)
    },
  )

  it('a call that cannot hear the signal is not torn: it is committed whole, and nothing begins after it', async () => {
    const { shop, code, signal, rows, events } = await interrupt('deaf', ['SIGINT', 'SIGINT'])
    expect([code, signal]).toEqual([130, null])
    expect(outcomes(rows)).toEqual(['ok', 'cancelled', 'cancelled'])
    expect(events).toEqual(['begun', 'done'])
    expect(shop.get('half.txt')).toBe('\0')
    expect((await shopHere(shop).tongs(['undo', '--yes', '--session', 'default'])).code).toBe(0)
    expect(shop.get('half.txt')).toBeNull()
  })
})
