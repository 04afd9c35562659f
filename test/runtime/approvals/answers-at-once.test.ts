import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../../src/core/wait.ts'
import { openConnection } from '../../../src/faces/mcp/connection.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench } from '../../bench-folder.ts'

const COMMAND = { id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo x >> a.txt'] } }

const MANY_FILES = {
  id: '1',
  name: 'run_shell',
  args: { cmd: ['sh', '-c', 'for i in $(seq 300); do echo $i > f$i; done'] },
}

/** Waits until something is so, looking as often as this process is free. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await waitFor(0)
}

function kindsOf(runtime: Runtime, session: string): readonly string[] {
  return [...runtime.log({ session })].map(({ entry }) => entry.kind)
}

/** A command whose landing waits, and what two answers to it that are given at once come to. */
async function answerTwice(answers: readonly [boolean, boolean]) {
  const b = bench({ 'a.txt': 'a\n' })
  const runtime = await b.open({ durability: 'normal', approve: () => 'later' })
  await runtime.run([COMMAND], { session: 's' })
  const [question] = await runtime.pending({ session: 's' })
  const id = String(question?.id)
  const given = await Promise.all(
    answers.map((isApproved, at) =>
      runtime.decide([id], { session: 's', isApproved, actor: { id: at === 0 ? 'ann' : 'bob' } }),
    ),
  )
  const kinds = kindsOf(runtime, 's')
  const states = given.flatMap(({ results }) => results.map(({ execution }) => execution.state))
  return { b, runtime, kinds, states, given }
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

  it.each([true, false])(
    'the second is told of the first: in one process, also if it is %s',
    async (second) => {
      const { given } = await answerTwice([true, second])
      expect(given.map(({ faults }) => faults.map(({ why }) => why))).toEqual([
        [],
        ['was already approved by ann, and the first answer counts'],
      ])
    },
  )

  it('the second is told of the first and of what came of it: in two processes', async () => {
    const b = bench()
    const owner = await b.open({ durability: 'normal', approve: () => 'later' })
    await owner.run([MANY_FILES], { session: 's' })
    const [question] = await owner.pending({ session: 's' })
    const id = String(question?.id)
    const other = await b.open({ durability: 'normal' })
    const outside = other.decide([id], { session: 's', isApproved: false, actor: { id: 'bob' } })
    const mailbox = join(b.stateDir, 'mailbox')
    await until(() => existsSync(mailbox) && readdirSync(mailbox).length > 0)
    const inside = await owner.decide([id], { session: 's', isApproved: true, actor: { id: 'ann' } })
    const both = [inside, await outside]
    const isLanded = readdirSync(b.root).length > 0
    const states = both.flatMap(({ results }) => results.map(({ execution }) => execution.state))
    expect(states).toEqual(Array(2).fill(isLanded ? 'COMPLETED' : 'ROLLED_BACK'))
    const words = isLanded ? 'was already approved by ann' : 'was already denied by bob'
    expect(both.flatMap(({ faults }) => faults)).toEqual([
      { id, why: `${words}, and the first answer counts` },
    ])
    expect(both.flatMap(({ open }) => open)).toEqual([])
  })

  it.each([
    [true, 'answers'],
    [true, 'repeats its call'],
    [false, 'answers'],
    [false, 'repeats its call'],
  ] as const)('%s: a client that %s meanwhile is given what came of it', async (isApproved, way) => {
    const b = bench()
    const runtime = await b.open({ durability: 'normal', approve: () => 'later' })
    const connection = openConnection(runtime)
    const call = { name: MANY_FILES.name, args: MANY_FILES.args, problems: [] }
    const hooks = { signal: new AbortController().signal, onEvent: () => undefined }
    const asked = await connection.call(call, hooks)
    if (asked.is !== 'asked') throw new Error('it was not asked about')
    const { id } = asked.request
    const session = String(connection.session())
    const decided = runtime.decide([id], { session, isApproved, actor: { id: 'ann' } })
    await until(() => kindsOf(runtime, session).includes('answered'))
    const outcome =
      way === 'answers'
        ? await connection.answer(call, asked.request, { answer: isApproved ? 'deny' : 'once' }, hooks)
        : await connection.call(call, hooks)
    await decided
    const state = outcome.is === 'result' ? outcome.result.execution.state : outcome.is
    expect(state).toBe(isApproved ? 'COMPLETED' : 'ROLLED_BACK')
    expect(readdirSync(b.root)).toHaveLength(isApproved ? 300 : 0)
    await connection.close()
  })
})
