import { describe, expect, it } from 'vitest'
import { freshState } from '../../../src/faces/tui/app-state.ts'
import { createSubmit } from '../../../src/faces/tui/input/submit.ts'
import { png } from '../../harness/sample-pictures.ts'
import { idlePowers, testSession } from './test-session.ts'

/** Types lines into the app, and tells what of each message was attached. */
async function typing(lines: (root: string) => readonly string[]) {
  const typed = lines('')
  const { session, b } = await testSession(typed.map(() => ({ text: 'Ok.' })))
  b.put('shot.png', png(4, 5))
  b.put('my shot.png', png(6, 7))
  const submit = createSubmit(freshState(session), idlePowers(session), { addToHistory: () => undefined })
  for (const line of lines(session.runtime.root)) await submit(line)
  const { blocks } = session.view()
  return {
    messages: [...session.runtime.log({ session: 's' })].flatMap(({ entry }) =>
      entry.kind === 'said' && entry.role === 'user' ? [entry.attached?.map(({ path }) => path) ?? []] : [],
    ),
    words: blocks.flatMap((block) => (block.kind === 'said' ? [block.text] : [])),
    notices: blocks.flatMap((block) => (block.kind === 'notice' ? [block.text] : [])),
  }
}

describe('a picture in the app', () => {
  it('is attached where a prompt names it, and where a terminal wrote the path of a dragged file', async () => {
    const app = await typing((root) => [
      'what is in @shot.png?',
      `${root}/my\\ shot.png what is this?`,
      `'${root}/shot.png'`,
      'and in @a.txt?',
    ])
    expect(app.messages).toEqual([['shot.png'], ['my shot.png'], ['shot.png'], []])
    expect(app.words).toContain('what is in @shot.png?')
    expect(app.words).toContain('and in a.txt?')
    expect(app.notices.join('\n')).not.toMatch(/unknown|no command/i)
  })

  it('that is not there is said to be missing, and the prompt is sent', async () => {
    const app = await typing(() => ['see @gone.png'])
    expect(app.messages).toEqual([[]])
    expect(app.words.join('\n')).toContain('[Not attached: ')
  })
})
