import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'

const COMMAND = { id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo x >> a.txt'] } }

/** A command whose landing waits, and what two answers to it that are given at once come to. */
async function answerTwice(answers: readonly [boolean, boolean]) {
  const b = bench({ 'a.txt': 'a\n' })
  const runtime = await b.open({ durability: 'normal', approve: () => 'later' })
  await runtime.run([COMMAND], { session: 's' })
  const [question] = await runtime.pending({ session: 's' })
  const id = String(question?.id)
  const given = await Promise.all(
    answers.map((isApproved) => runtime.decide([id], { session: 's', isApproved })),
  )
  const kinds = [...runtime.log({ session: 's' })].map(({ entry }) => entry.kind)
  const states = given.flatMap(({ results }) => results.map(({ execution }) => execution.state))
  return { b, runtime, kinds, states }
}

describe('two answers at once to a question about a landing', () => {
  it.each([
    [true, true, 'COMPLETED', 'a\nx\n'],
    [true, false, 'COMPLETED', 'a\nx\n'],
    [false, true, 'ROLLED_BACK', 'a\n'],
  ] as const)(
    '%s and %s: the first counts, and the call has one result',
    async (first, second, state, text) => {
      const { b, runtime, kinds, states } = await answerTwice([first, second])
      expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe(text)
      expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(1)
      expect(kinds.filter((kind) => kind === 'settled')).toHaveLength(1)
      expect(new Set(states)).toEqual(new Set([state]))
      expect(await runtime.pending({ session: 's' })).toEqual([])
      await runtime.close()
    },
  )
})
