import { expect, it } from 'vitest'
import { agreed, call, talk } from './talk.ts'

it('the model is told with its next message that a command in the background has ended, and how', async () => {
  const start = { cmd: ['sh', '-c', 'while [ ! -e go/on ]; do sleep 0.02; done; exit 7'], background: true }
  const t = await talk(
    [{ calls: [call('1', 'run_shell', start)] }, { text: 'It runs.' }, { text: 'I see.' }],
    {
      ...agreed,
      files: { 'go/off': '' },
      config: { 'tools.shell.passthrough': ['go'] },
    },
  )
  await t.say('go')
  const [row] = t.runtime.background()
  const handle = row?.handle ?? ''
  t.b.put('go/on', '')
  // Waits for its end.
  const [read] = await t.runtime.run([{ id: 'r', name: 'run_shell', args: { handle, timeout: 60 } }], {
    session: 's',
  })
  expect(read).toMatchObject({ ok: true, result: { state: 'ended', exit_code: 7 } })
  await t.say('and now?')
  const told = t.requests.at(-1)?.messages.slice(-2)
  expect(told).toEqual([
    {
      role: 'user',
      text: expect.stringMatching(
        new RegExp(
          `^\\[The command in the background ${handle} \\("sh -c .*"\\) ended with exit code 7\\.\\]$`,
        ),
      ),
    },
    { role: 'user', text: 'and now?' },
  ])
})
