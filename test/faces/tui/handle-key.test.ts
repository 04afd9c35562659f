import { afterEach, describe, expect, it } from 'vitest'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import { createKeyHandler } from '../../../src/faces/tui/input/handle-key.ts'
import type { KeyTargets } from '../../../src/faces/tui/input/handle-key.ts'
import { createSheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import { testSession } from './test-session.ts'

let opened: AppSession[] = []

afterEach(async () => {
  for (const session of opened) await session.close()
  opened = []
})

/** The keys of an app whose editor holds a text; says what each of them did. */
async function openKeys(text = '') {
  const { session } = await testSession(null)
  opened.push(session)
  const done: string[] = []
  const note = (what: string) => () => void done.push(what)
  let typed = text
  const editor = {
    getText: () => typed,
    getExpandedText: () => typed,
    setText: (next: string) => {
      typed = next
      done.push(`typed ${next}`)
    },
    isShowingAutocomplete: () => false,
    handleInput: note('input'),
  } as unknown as KeyTargets['screen']['editor']
  const press = createKeyHandler({
    state: freshState(session),
    sheets: createSheetStack(() => undefined),
    screen: {
      editor,
      scroll: note('scroll'),
      scrollPane: note('pane'),
      follow: note('follow'),
      isLookingBack: () => false,
    },
    actions: {
      cyclePreset: note('preset'),
      showChosen: note('shown'),
      goToCall: note('call'),
      openFile: note('file'),
      editTyped: note('edit'),
      searchHistory: note('history'),
      suspend: note('suspend'),
    },
    explain: note('why'),
    quit: note('quit'),
    queue: (line) => void done.push(`queued ${line}`),
    attend: () => undefined,
    hint: (words) => void done.push(words),
  })
  return { session, done, press: (key: string) => press({ key, text: '' }) }
}

describe('the keys of the app', () => {
  it('Esc never leaves, however often it is pressed; a second Ctrl-C does', async () => {
    const { done, press } = await openKeys()
    for (let times = 0; times < 4; times++) expect(press('escape')).toBe(true)
    expect(done).toEqual(Array<string>(4).fill('Ctrl-C twice or Ctrl-D quits'))
    press('ctrl+c')
    expect(done.at(-1)).toBe('Ctrl-C again to quit')
    press('ctrl+c')
    expect(done.at(-1)).toBe('quit')
  })

  it('an Esc before a Ctrl-C does not make that the second one', async () => {
    const { done, press } = await openKeys()
    press('escape')
    press('ctrl+c')
    expect(done).not.toContain('quit')
  })

  it('Alt-Enter keeps what is typed while something runs, and begins a line otherwise', async () => {
    const { session, done, press } = await openKeys('afterwards')
    expect(press('alt+enter')).toBe(false)
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = session.work(() => promise)
    expect(press('alt+enter')).toBe(true)
    expect(done).toEqual(['typed ', 'queued afterwards'])
    expect(press('alt+enter')).toBe(false)
    resolve()
    await work
  })

  it('Ctrl-O edits what is typed, and opens the file of a call if nothing is', async () => {
    const empty = await openKeys()
    const typed = await openKeys('words')
    for (const { press } of [empty, typed]) press('ctrl+o')
    expect([empty.done, typed.done]).toEqual([['file'], ['edit']])
  })
})
