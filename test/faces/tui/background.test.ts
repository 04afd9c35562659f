import { expect, it } from 'vitest'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { listLive } from '../../../src/host/run/noted/live-commands.ts'
import { idlePowers, testSession } from './test-session.ts'

it('the app lists the commands in the background and stops one', async () => {
  const cmd = ['sh', '-c', 'echo up; while true; do sleep 0.1; done']
  const calls = [{ id: 'c1', name: 'run_shell', args: { cmd, background: true } }]
  const { session, b } = await testSession([{ calls }, { text: 'It runs.' }, { text: 'I see.' }])
  const submit = createSubmit(freshState(session), idlePowers(session), { addToHistory: () => undefined })
  const last = (): string =>
    session
      .view()
      .blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : []))
      .at(-1) ?? ''
  await submit('/background')
  expect(last()).toBe('No command is in the background.')
  await submit('start the server')
  const [row] = session.runtime.background()
  const handle = row?.handle ?? ''
  await submit('/background')
  expect(last()).toMatch(new RegExp(`^${handle}\\tsh -c 'echo up.*: runs, started just now$`))
  expect(listLive(b.stateDir)).toMatchObject([{ execution: handle, session: 's' }])
  await submit('/background stop nothing')
  expect(last()).toMatch(/^Use \/background/)
  await submit(`/background stop ${handle}`)
  expect(last()).toMatch(/^Stopped: sh -c/)
  expect(session.runtime.background()).toMatchObject([{ state: 'ended' }])
  expect(listLive(b.stateDir)).toEqual([])
  await session.close()
})
