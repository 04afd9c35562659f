import { afterEach, describe, expect, it } from 'vitest'
import type { Approver } from '../../../src/core/approval.ts'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { listTyped, takeLine } from '../../../src/faces/tui/input/search-history.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import { COPY_BYTES, copySequence } from '../../../src/terminal/terminal-sequences.ts'
import { idlePowers, testSession } from './test-session.ts'
import type { ScriptTurn } from './test-session.ts'

let opened: AppSession[] = []

afterEach(async () => {
  for (const session of opened) await session.close()
  opened = []
})

async function openLines(turns: readonly ScriptTurn[] | null, approve?: Approver) {
  const t = await testSession(turns, {
    given: { 'tools.shell.sandbox': 'none', 'tools.shell.ask': 'before' },
    ...(approve === undefined ? {} : { approve }),
  })
  opened.push(t.session)
  const state = freshState(t.session)
  const copied: string[] = []
  const shown: string[] = []
  const powers = {
    ...idlePowers(t.session),
    copy: (text: string) => {
      copied.push(text)
      return null
    },
    chosenCall: () => callsOf(t.session.view()).at(-1) ?? null,
    showCall: ({ id }: { readonly id: string }) => void shown.push(id),
  }
  const remembered: string[] = []
  const submit = createSubmit(state, powers, { addToHistory: (line) => void remembered.push(line) })
  return { ...t, state, submit, copied, shown, remembered }
}

const saidIn = (session: AppSession): readonly string[] =>
  session.view().blocks.flatMap((block) => (block.kind === 'said' ? [block.text] : []))
const noticesOf = (session: AppSession): readonly string[] =>
  session.view().blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : []))

describe('a command after an exclamation mark', () => {
  it('is a call of the user with every gate, and never goes to the model', async () => {
    const asked: string[] = []
    const { session, submit } = await openLines([{ text: 'never said' }], (requests) => {
      asked.push(...requests.map(({ summary }) => summary))
      return requests.map(() => 'deny' as const)
    })
    await submit('!echo "a b" | wc -w')
    expect(asked).toEqual([expect.stringContaining('wc -w')])
    expect(callsOf(session.view())).toMatchObject([
      {
        name: 'run_shell',
        origin: 'person',
        args: { cmd: ['sh', '-c', 'echo "a b" | wc -w'] },
        progress: 'refused',
      },
    ])
    expect(saidIn(session)).toEqual([])
  })

  it('shows what it printed', async () => {
    const { session, submit } = await openLines(null)
    await submit('!echo "a b" | wc -w')
    const [call] = callsOf(session.view())
    expect(call?.result).toMatchObject({ ok: true, result: { stdout: expect.stringMatching(/^ *2\n$/) } })
  })
})

describe('words that are kept for later', () => {
  it('are sent when the turn has ended, in their order, and are in the history', async () => {
    let answer: (() => void) | null = null
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
    const write = { id: 'c1', name: 'write_file', args: { path: 'n.txt', content: 'n' } }
    const { session, submit, state, remembered } = await openLines(
      [{ text: 'One.', calls: [write] }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }],
      async (requests) => {
        onAsked()
        await new Promise<void>((resolve) => (answer = resolve))
        return requests.map(() => 'once' as const)
      },
    )
    const first = submit('begin')
    await asked
    const later = [submit.later('then this'), submit.later('and that')]
    expect(state.queue).toEqual(['then this', 'and that'])
    const give = answer as (() => void) | null
    give?.()
    await Promise.all([first, ...later])
    expect(saidIn(session)).toEqual(['begin', 'then this', 'and that'])
    expect(state.queue).toEqual([])
    expect(remembered).toEqual(['begin', 'then this', 'and that'])
  })

  it('run although nothing that was typed is running', async () => {
    const { session, submit } = await openLines([{ text: 'One.' }, { text: 'Two.' }])
    const work = session.send('of the app')
    await submit.later('afterwards')
    await work
    expect(saidIn(session)).toEqual(['of the app', 'afterwards'])
  })
})

describe('/show', () => {
  it('shows the call that is meant, or says that there is none', async () => {
    const t = await openLines([
      { calls: [{ id: 'c1', name: 'read_file', args: { path: 'a.txt' } }] },
      { calls: [{ id: 'c2', name: 'glob', args: { patterns: ['*'] } }] },
      { text: 'Done.' },
    ])
    const { session, shown, submit } = t
    await submit('/show 1')
    await submit('/show x')
    expect(noticesOf(session)).toEqual(['There are not so many calls.', expect.stringContaining('Use /show')])
    await submit('look')
    await submit('/show 2')
    await submit('/show')
    expect(shown).toEqual(['c1', 'c2'])
  })
})

describe('/copy', () => {
  it('hands over the last answer as it was written', async () => {
    const { session, submit, copied } = await openLines([{ text: 'An **answer**.' }, { text: '' }])
    await submit('/copy')
    expect(noticesOf(session)).toEqual(['There is no answer to copy yet.'])
    await submit('ask')
    await submit('/copy')
    expect(copied).toEqual(['An **answer**.'])
  })

  it('is base64 for the clipboard, with control characters spelled out; too much is refused', () => {
    const sequence = copySequence('née\n\u001b[31mred\u0007') ?? ''
    const [, base64 = ''] = /^\u001b\]52;c;([A-Za-z0-9+/=]+)\u0007$/.exec(sequence) ?? []
    expect(Buffer.from(base64, 'base64').toString('utf8')).toBe('née\nred\\u{7}')
    expect(copySequence('x'.repeat(COPY_BYTES))).not.toBeNull()
    expect(copySequence('x'.repeat(COPY_BYTES + 1))).toBeNull()
  })
})

describe('the search in what was typed', () => {
  it('has this session first and then others of the folder, newest first and each once', async () => {
    const { session, submit, state, open } = await openLines([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    await submit('first words')
    await submit('second words')
    await submit('first words')
    state.typed = ['/help']
    expect(listTyped(state)).toEqual(['/help', 'first words', 'second words'])
    await session.close()
    const again = await open()
    opened = [again]
    const taken: string[] = []
    const editor = { setText: (text: string) => void taken.push(text) }
    await takeLine(['one', 'two'], async ({ choices }) => choices[1]?.value ?? null, editor)
    await takeLine(['one'], async () => null, editor)
    expect(taken).toEqual(['two'])
  })

  it('has a call and a command of their own once, as they were typed', async () => {
    const { submit, state } = await openLines([{ text: 'a' }], (requests) => requests.map(() => 'once'))
    const typed = ['!echo mine', 'list_directory path=.', 'run_shell {"cmd":["sh","-c"," spaced "]}']
    for (const line of typed) await submit(line)
    state.typed = typed
    expect(listTyped(state)).toEqual(typed.toReversed())
    state.typed = []
    expect(listTyped(state).toReversed()).toEqual(['!echo mine', 'list_directory {"path":"."}', typed[2]])
  })

  it('finds in a new session what was said in the last ones', async () => {
    const { session, submit } = await openLines([{ text: 'a' }])
    await submit('said before')
    const other = { runtime: session.runtime, request: { ...session.request, session: 'other' } }
    const fresh = { view: () => ({ ...session.view(), blocks: [] }), ...other }
    expect(listTyped({ session: fresh as unknown as AppSession, typed: [] })).toEqual(['said before'])
  })
})
