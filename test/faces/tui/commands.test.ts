import { describe, expect, it } from 'vitest'
import { APP_COMMANDS, isCommandBegun } from '../../../src/faces/tui/commands/command-list.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import { idlePowers, testSession } from './test-session.ts'
import type { ScriptTurn } from './test-session.ts'

/** What takes typed lines, on a session of its own. */
async function openLines(turns: readonly ScriptTurn[] | null, given: Readonly<Record<string, unknown>> = {}) {
  return linesOn((await testSession(turns, { given })).session)
}

function linesOn(session: AppSession) {
  const state = freshState(session)
  const powers = idlePowers(session)
  const submit = createSubmit(state, powers, { addToHistory: () => undefined })
  const notices = () =>
    session.view().blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : []))
  const words = () => session.view().blocks.flatMap((block) => (block.kind === 'said' ? [block.text] : []))
  return { session, submit, notices, words }
}

it.for(['/log', '/why'])('%s gives the name of a tool no row of its own', async (line) => {
  const calls = [{ id: 'c1', name: 'none\nFORGED row', args: {} }]
  const app = await openLines([{ calls }, { text: 'Done.' }])
  await app.submit('go')
  const [call] = app.session.view().blocks.flatMap((block) => (block.kind === 'call' ? [block.key] : []))
  await app.submit(line === '/why' ? `/why ${call ?? ''}` : line)
  const rows = app.notices().at(-1)?.split('\n') ?? []
  expect(rows.some((row) => row.includes('FORGED row'))).toBe(true)
  expect(rows.filter((row) => row.startsWith('FORGED'))).toEqual([])
  await app.session.close()
})

describe('lines that begin with a slash', () => {
  it.for([
    ['/und', true],
    ['/', true],
    ['/tool', false],
    ['/tol', false],
    ['/undo --turn', false],
    ['undo', false],
  ] as const)('%s is the beginning of a command: %s', ([line, isBegun]) => {
    expect(isCommandBegun(line)).toBe(isBegun)
  })

  it.for([
    ['/tool c1 it is fine', [{ text: 'Never.' }]],
    ['/tool', [{ text: 'Never.' }]],
    ['/tool error c1 it broke', null],
  ] as const)('%s where no call is held says so, and what the command is for', async ([line, turns]) => {
    const app = await openLines(turns)
    await app.submit(line)
    expect(app.notices().at(-1)).toMatch(/No call is waiting for a result.*\/tool ID RESULT.*held/s)
    expect(app.words()).toEqual([])
    await app.session.close()
  })

  it('a held call is answered by its command, and a command without its words says how it is written', async () => {
    const calls = [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }]
    const app = await openLines([{ calls }, { text: 'Thank you.' }], { 'tools.mode': 'parse_only' })
    await app.submit('look')
    await app.submit('/tool')
    expect(app.notices().at(-1)).toMatch(/Use \/tool ID RESULT/)
    await app.submit('/tool c1 alpha')
    expect(app.notices()).toContain('1 of 1 results received.')
    await app.session.close()
  })

  it('no command of the list is ever said to the model, whatever stands behind it', async () => {
    const app = await openLines([{ text: 'Never.' }])
    for (const { name } of APP_COMMANDS)
      for (const rest of ['', ' some words', '\nmore']) await app.submit(`/${name}${rest}`)
    // What /init asks for is a prompt of its own.
    expect(app.words().filter((text) => !/^(?:Never\.|Write AGENTS\.md, notes for)/.test(text))).toEqual([])
    await app.session.close()
  })

  it.for([
    ['/tol c1 x', /no command \/tol\. Did you mean \/tool\?/],
    ['/UNDO', /Did you mean \/undo\?/],
    ['/zzzzzz', /no command \/zzzzzz\. \/help lists/],
    ['/etc/hosts is wrong', /no command \/etc\/hosts\..*put a word before it/],
  ] as const)('%s is no command, which is said', async ([line, says]) => {
    const app = await openLines([{ text: 'Never.' }])
    await app.submit(line)
    expect([app.words(), app.notices().at(-1)]).toEqual([[], expect.stringMatching(says)])
    await app.session.close()
  })
})

describe('/compact', () => {
  const turns = [
    { text: 'Looking.', calls: [{ id: 'c1', name: 'read_file', args: { path: 'long.txt' } }] },
    { text: 'Seen.' },
    { text: 'Yes.' },
  ]

  it('says what it freed once, in the view and after the session is opened again', async () => {
    const files = { 'long.txt': 'a line of it\n'.repeat(900) }
    const t = await testSession(turns, { files })
    await t.session.send('look')
    await t.session.send('and?')
    const { submit } = linesOn(t.session)
    submit('/compact keep the names')
    await t.session.idle()
    const noticesOf = (session: typeof t.session) =>
      session.view().blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : []))
    const said = /^As you asked: compacted from \d+ to \d+ tokens \(older messages as a summary/
    expect(noticesOf(t.session).filter((text) => said.test(text))).toHaveLength(1)
    submit('/log')
    await t.session.idle()
    expect(noticesOf(t.session).at(-1)).toMatch(/compacted: older messages, \d+ tokens before, \d+ after/)
    await t.session.close()
    expect(noticesOf(await t.open()).filter((text) => said.test(text))).toHaveLength(1)
  })

  it('says so where there is nothing to compact, or no model', async () => {
    const none = await openLines(null)
    none.submit('/compact')
    expect(none.notices().at(-1)).toContain('No model')
    const fresh = await openLines([{ text: 'hi' }])
    fresh.submit('/compact')
    await fresh.session.idle()
    expect(fresh.notices().at(-1)).toBe('There is nothing to compact yet.')
  })
})
