import { expect, it } from 'vitest'
import { bench } from '../../bench-folder.ts'
import { watchSteps } from '../../harness/faults/world/steps.ts'

/** How often each call of the machine is made with a new file of a command, from its end until the file has landed. */
async function looksAt(files: number): Promise<Readonly<Record<string, number>>> {
  const b = bench()
  const runtime = await b.open({
    config: { 'tools.shell.layer': 'require' },
    approve: (requests) => requests.map(() => 'once' as const),
  })
  // What changed within a tick of the clock before it is read has to be read again.
  const script = `for i in $(seq ${files}); do mkdir -p d; echo $i >d/new$i.txt; done; sleep 0.1; echo written`
  const looks: Record<string, number> = {}
  let hasEnded = false
  let isOk = false
  await watchSteps(
    ({ name, target }) => {
      if (hasEnded && /\/?new\d+\.txt$/.test(target)) looks[name] = (looks[name] ?? 0) + 1
      return null
    },
    async () => {
      const calls = [{ id: 's', name: 'run_shell', args: { cmd: ['sh', '-c', script] } }]
      const [result] = await runtime.run(calls, {
        onEvent: ({ event }) => void (hasEnded ||= event === 'output'),
      })
      isOk = result?.ok === true
    },
    'all',
  )
  expect(isOk).toBe(true)
  await runtime.close()
  return looks
}

it('no look at a new file of a command is taken twice between its end and the landing', async () => {
  const [few, many] = [await looksAt(20), await looksAt(60)]
  const each = Object.fromEntries(
    Object.entries(many).map(([name, count]) => [name, (count - (few[name] ?? 0)) / 40]),
  )
  expect(each).toEqual({
    // As the command left it, after the answer, and before anything moves.
    statAt: 3,
    // For the digest, the diff and the checks of contents; the last two only look at a few.
    openPlain: 3,
    hasAttributes: 1,
    renameSync: 1,
  })
})
