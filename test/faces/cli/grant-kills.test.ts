import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { GrantsReport } from '../../../src/runtime/approvals/grants.ts'
import { makeShop, shopHere, writes } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { HARDENING_SEED, roundsOf } from '../../harness/long-run.ts'

const shops: Shop[] = []

afterAll(() => {
  for (const made of shops) made.remove()
})

/** Of so many commits one is tried, others in every run. */
const EVERY = roundsOf(2, 1)
const KILLER = join(import.meta.dirname, 'kill-at-commit.ts')

/** Kills an answer that makes a grant at a commit, gives it again, and returns the grants there are then. */
async function answerTwice(at: string) {
  const made = makeShop()
  shops.push(made)
  const here = shopHere(made)
  await here.batch([writes('src/a')])
  const [id = ''] = await here.pendingIds()
  const words = ['approve', id, '--scope', 'path:src/*']
  const first = await made.tongs(words, { node: ['--import', KILLER], env: { TONGS_KILL_AT: at } })
  const isKilled = first.code !== 0
  if (isKilled) await here.tongs(words)
  await here.tongs(['recover', '--resume', '--json'])
  const { out } = await here.tongs(['grants', '--json'])
  const verified = await here.tongs(['audit', 'verify'])
  return { isKilled, grants: (JSON.parse(out) as GrantsReport).grants, verified: verified.code }
}

it('an answer that is killed at any commit and given again makes one grant', async () => {
  let kills = 0
  for (let number = 1 + (HARDENING_SEED % EVERY); ; number += EVERY) {
    const { isKilled, grants, verified } = await answerTwice(`after ${number}`)
    expect(grants.map(({ scope }) => scope)).toEqual([{ kind: 'path', glob: 'src/*' }])
    expect(verified).toBe(0)
    if (!isKilled) break
    kills++
  }
  expect(kills).toBeGreaterThan(roundsOf(0, 1))
})
