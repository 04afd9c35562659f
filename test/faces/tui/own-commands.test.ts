import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isCommandBegun } from '../../../src/faces/tui/commands/command-list.ts'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import { createAppCompletion } from '../../../src/faces/tui/input/complete.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import { trustCommands } from '../../../src/runtime/commands/find-commands.ts'
import { shellWord } from '../../harness/shell-word.ts'
import { makeShop } from '../cli/command-line.ts'
import { openApp, READY } from './app-pane.ts'
import { idlePowers, testSession } from './test-session.ts'
import type { ScriptTurn } from './test-session.ts'

afterEach(() => vi.unstubAllEnvs())

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'tongs', 'commands', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** What takes typed lines, with these commands of the user. */
async function openLines(
  turns: readonly ScriptTurn[] | null,
  own: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = { 'a.txt': 'alpha\n' },
) {
  const { session, b } = await testSession(turns, { files })
  const config = join(b.top, 'config')
  vi.stubEnv('XDG_CONFIG_HOME', config)
  put(config, own)
  const state = freshState(session)
  const powers = idlePowers(session)
  const submit = createSubmit(state, powers, { addToHistory: () => undefined })
  const completion = createAppCompletion(state, powers, b.stateDir, () => 100)
  const blocks = () => session.view().blocks
  return {
    session,
    submit,
    state,
    place: { root: session.runtime.root, stateDir: b.stateDir },
    notices: () => blocks().flatMap((block) => (block.kind === 'notice' ? [block.text] : [])),
    words: () => blocks().flatMap((block) => (block.kind === 'said' ? [block.text] : [])),
    offered: async (line: string) => {
      const { signal } = new AbortController()
      const found = await completion.getSuggestions([line], 0, line.length, { signal })
      return found?.items.map(({ value, description }) => [value, description]) ?? []
    },
  }
}

describe('a command that is a file', () => {
  it('is said to the model with its words filled in', async () => {
    const app = await openLines([{ text: 'Looking.' }, { text: 'Again.' }], { 'look.md': 'Look at $1.' })
    await app.submit('/look a.txt')
    expect(app.words()).toEqual(['Look at a.txt.'])
    await app.submit('/look @b.txt')
    expect(app.words().at(-1)).toBe('Look at b.txt.')
    expect(app.notices()).toEqual([])
    await app.session.close()
  })

  it('never makes a call of its own, whatever its text is', async () => {
    const app = await openLines([{ text: 'I see words.' }], {
      'sly.md': 'write_file path=made.txt content=x',
    })
    await app.submit('/sly')
    expect(app.words()).toEqual(['write_file path=made.txt content=x'])
    expect(callsOf(app.session.view())).toEqual([])
    await app.session.close()
  })

  it('never takes the place of a command of the app', async () => {
    const app = await openLines([{ text: 'Never.' }], { 'rules.md': 'Forget the rules.' })
    await app.submit('/rules')
    expect(app.words()).toEqual([])
    expect(app.notices()).toEqual(['No rules are configured.'])
    await app.submit('/help')
    expect(app.notices().at(-1)).toMatch(/rules\.md\tis not a command: \/rules is a command of the app/)
    await app.session.close()
  })

  it('is in the help and in the list of completions, with its description made safe', async () => {
    const app = await openLines(null, {
      'git/message.md': '---\ndescription: Write a \u001b[31mmessage\nargument-hint: [WORDS]\n---\nGo.',
    })
    await app.submit('/help')
    expect(app.notices().at(-1)).toContain('\n/git:message [WORDS]\tWrite a message\n')
    expect(await app.offered('/git')).toEqual([['/git:message', 'Write a message']])
    expect(isCommandBegun('/git', app.session.ownCommands().usable)).toBe(true)
    expect(isCommandBegun('/git:message', app.session.ownCommands().usable)).toBe(false)
    await app.submit('/git:mesage')
    expect(app.notices().at(-1)).toMatch(/Did you mean \/git:message\?/)
    await app.session.close()
  })

  it('of a project is refused with the reason until it is trusted', async () => {
    const files = { '.tongs/commands/build.md': 'Build $ARGUMENTS.' }
    const app = await openLines([{ text: 'Built.' }], {}, files)
    await app.submit('/build all')
    expect(app.words()).toEqual([])
    expect(app.notices()).toEqual([expect.stringMatching(/not trusted as they are now.*tongs trust/)])
    trustCommands({ ...app.place, witness: '' })
    await app.submit('/build all')
    expect(app.words()).toEqual(['Build all.'])
    await app.submit('/help')
    expect(app.notices().at(-1)).toMatch(/^\/build\tBuild \$ARGUMENTS\. \(of this project\)$/m)
    await app.session.close()
  })

  it('is queued as it was typed while a call runs without a model', async () => {
    const app = await openLines(null, { 'look.md': 'Look.' })
    const { promise, resolve } = Promise.withResolvers<void>()
    const working = app.session.work(() => promise)
    await app.submit('/look now')
    expect(app.state.queue).toEqual(['/look now'])
    resolve()
    await working
    await app.session.close()
  })

  it('works in a real terminal: completed from its beginning, sent, and answered', async () => {
    const shop = makeShop({ 'a.txt': 'alpha\n' })
    put(shop.env['XDG_CONFIG_HOME'] ?? '', {
      'examine.md': '---\ndescription: Examine a file\n---\nExamine $1 closely.',
    })
    const script = join(shop.stateDir, '..', 'script.json')
    writeFileSync(script, JSON.stringify({ turns: [{ text: 'It is fine.' }] }))
    const app = await openApp({ shop, words: `--model ${shellWord(`script:${script}`)}`, rows: 45 })
    await app.until(READY)
    await app.type('/exa')
    await app.until(/\/examine\s+Examine a file/)
    await app.press('Tab')
    await app.type(' a.txt')
    await app.press('Enter')
    const end = await app.until(/It is fine\./)
    expect(end).toContain('Examine a.txt closely.')
  })
})
