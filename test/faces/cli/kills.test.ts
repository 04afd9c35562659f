import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeShop, shopHere } from './command-line.ts'
import type { CommandEnd, Shop } from './command-line.ts'
import { isThorough } from '../../harness/long-run.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const shop of shops) shop.remove()
})

/** Done twice it would leave its word twice. */
const APPEND = { id: 'c', name: 'write_file', args: { path: 'f.txt', content: 'once\n', append: true } }
const ENDINGS = new Set(['COMPLETED', 'FAILED', 'DENIED', 'ROLLED_BACK'])
const BATCH = ['batch', '-', '--json', '--no-input']

function openShop(): Shop {
  const shop = makeShop()
  shops.push(shop)
  return shop
}

/** Runs a command in a process that is killed at a commit; where there is no such commit it ends by itself. */
function killed(shop: Shop, words: readonly string[], at: string, stdin = ''): Promise<CommandEnd> {
  const module = join(import.meta.dirname, 'kill-at-commit.ts')
  return shop.tongs(words, { node: ['--import', module], env: { TONGS_KILL_AT: at }, stdin })
}

/** Answers and recovers until nothing is open any more, and checks that the word was written once at most. */
async function bringToEnd(
  shop: Shop,
): Promise<{ readonly text: string | null; readonly states: readonly string[] }> {
  const here = shopHere(shop)
  await here.tongs(['approve', 'all', '--json'])
  await here.tongs(['approve', 'all', '--json'])
  await here.tongs(['recover', '--resume', '--json'])
  expect(await here.pendingIds()).toEqual([])
  const { out } = await here.tongs(['audit', 'export', '--json'])
  const events = out
    .split('\n')
    .flatMap((line) =>
      line === '' ? [] : [JSON.parse(line) as { readonly executionId: string; readonly state: string }],
    )
  const states = events.map(({ state }) => state).filter((state) => ENDINGS.has(state))
  expect(states).toHaveLength(new Set(events.map(({ executionId }) => executionId)).size)
  const text = here.get('f.txt')
  expect(text).toBe(states.includes('COMPLETED') ? 'once\n' : null)
  expect((await here.tongs(['audit', 'verify'])).code).toBe(0)
  return { text, states }
}

/** Kills a command at one commit after the other, a few at a time, until it gets to its end alive. */
async function killAtEvery(
  lay: (shop: Shop) => Promise<unknown>,
  words: readonly string[],
  stdin = '',
): Promise<readonly { readonly text: string | null; readonly states: readonly string[] }[]> {
  const ends: { readonly text: string | null; readonly states: readonly string[] }[] = []
  for (let from = 1; ; from += ABREAST) {
    // What is after a commit is also before the next one, but for what the process does in between.
    const points = Array.from({ length: ABREAST }, (_, index) => [
      ...(isThorough || from + index === 1 ? [`before ${from + index}`] : []),
      `after ${from + index}`,
    ]).flat()
    const laid = points.map((at) => ({ shop: openShop(), at }))
    // What runs in this process takes its turn; only the processes to be killed run side by side.
    for (const { shop } of laid) await lay(shop)
    const killedOnes = await Promise.all(
      laid.map(async ({ shop, at }) => ({ shop, end: await killed(shop, words, at, stdin) })),
    )
    for (const { shop, end } of killedOnes) {
      if (end.signal !== 'SIGKILL') {
        expect(end).toMatchObject({ err: '', code: expect.toSatisfy((code) => code === 0 || code === 4) })
        return ends
      }
      ends.push(await bringToEnd(shop))
    }
  }
}

const ABREAST = 3

describe('a process that is killed while a batch waits, is answered, or goes on', () => {
  it('while the answer is written and the batch goes on: it runs once or not at all, and always comes to an end', async () => {
    const ends = await killAtEvery((shop) => shopHere(shop).batch([APPEND]), ['approve', 'all', '--json'])
    const texts = ends.map(({ text }) => text)
    // Before the batch is claimed a further answer runs it; after that only what was committed counts.
    expect(texts[0]).toBe('once\n')
    expect(texts).toContain(null)
    expect(texts.at(-1)).toBe('once\n')
  })

  it('while it is put on hold: it never began, or it waits, and then it can be answered', async () => {
    const ends = await killAtEvery(async () => undefined, BATCH, JSON.stringify([APPEND]))
    const order = ['', 'FAILED', 'COMPLETED']
    const reached = ends.map(({ states }) => order.indexOf(states.join()))
    expect(reached).toEqual(reached.toSorted())
    expect(new Set(reached)).toEqual(new Set([0, 1, 2]))
  })
})
