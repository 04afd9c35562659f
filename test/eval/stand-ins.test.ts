import { describe, expect, it } from 'vitest'
import { createStandIns } from '../../eval/stand-ins.ts'

const call = (args: object) => ({
  text: '',
  calls: [{ id: '1', name: 'run_shell', args: JSON.stringify(args) }],
})
const HANDLES = ['01m7k6hwf70000nvb6rht666gp', '01m7k6kz1b0002gxxmm6whpdnj']

describe('what differs from run to run', () => {
  it('is recorded by words, and replayed as what it is now', () => {
    const then = createStandIns({ root: '/t/a', home: '/t/home', web: 'http://127.0.0.1:1' })
    const now = createStandIns({ root: '/u/a', home: '/u/home', web: 'http://127.0.0.1:2' })
    const args = { at: '/t/a/b', skill: '/t/home/s', url: 'http://127.0.0.1:1/x' }
    const recorded = then.toRecorded(call(args))
    expect(recorded).toEqual(call({ at: '{root}/b', skill: '{home}/s', url: '{web}/x' }))
    expect(now.toReal(recorded)).toEqual(
      call({ at: '/u/a/b', skill: '/u/home/s', url: 'http://127.0.0.1:2/x' }),
    )
  })

  it('names commands in the background in the order in which they came', () => {
    const standIns = createStandIns({ root: '/t', home: '/h', web: null })
    for (const handle of [...HANDLES, HANDLES[0]])
      standIns.see(JSON.stringify({ content: `read more with run_shell ${JSON.stringify({ handle })}` }))
    expect(standIns.toRecorded(call({ handle: HANDLES[1] }))).toEqual(call({ handle: '{handle 2}' }))
    expect(standIns.toReal(call({ handle: '{handle 1}' }))).toEqual(call({ handle: HANDLES[0] }))
  })
})
