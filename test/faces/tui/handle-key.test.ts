import { parseKey } from '@earendil-works/pi-tui'
import { afterEach, describe, expect, it } from 'vitest'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import { createKeyHandler } from '../../../src/faces/tui/input/handle-key.ts'
import type { KeyTargets } from '../../../src/faces/tui/input/handle-key.ts'
import { readPressed } from '../../../src/faces/tui/input/read-pressed.ts'
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

  it.each([
    ['afterwards', ['typed ', 'queued afterwards']],
    ['', []],
    ['/und', []],
    ['look at @src', []],
    ['look at src/a', []],
    ['read_file path=', []],
  ])('Tab while something runs keeps %j, unless it can complete it', async (typed, done) => {
    const t = await openKeys(typed)
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = t.session.work(() => promise)
    expect(t.press('tab')).toBe(done.length > 0)
    expect(t.done).toEqual(done)
    resolve()
    await work
  })

  it('Esc that cancels something says nothing about leaving', async () => {
    const { session, done, press } = await openKeys()
    const work = session.work((signal) => new Promise((end) => signal.addEventListener('abort', () => end())))
    press('escape')
    await work
    expect(done).toEqual([])
  })

  it('Ctrl-O edits what is typed, and opens the file of a call if nothing is', async () => {
    const empty = await openKeys()
    const typed = await openKeys('words')
    for (const { press } of [empty, typed]) press('ctrl+o')
    expect([empty.done, typed.done]).toEqual([['file'], ['edit']])
  })
})

it.each([
  ['\u001b[1~', 'home'],
  ['\u001b[4~', 'end'],
  ['\u001b[F', 'end'],
])('knows the key of tmux that sends %j', (data, key) => {
  expect(readPressed(data, parseKey(data))).toEqual({ key, text: '' })
})
