import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBlockDrawer, drawTranscript } from '../../../src/faces/tui/draw/draw-transcript.ts'
import type { Opened } from '../../../src/faces/tui/draw/draw-call.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import type { View } from '../../../src/faces/tui/view/view.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { chooserFrom, HARDENING_SEED, shuffled, triesOf } from '../../harness/long-run.ts'
import { ACTS, fieldsOfLog, spoilField } from '../hostile-fields.ts'
import { testSession } from './test-session.ts'
import type { TestSession } from './test-session.ts'

const CALLS = [
  { id: 'c1', name: 'read_file', args: { path: 'a.txt' } },
  { id: 'c2', name: 'write_file', args: { path: 'b.txt', content: 'b\n' } },
  { id: 'c3', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo hi; exit 1'] } },
  { id: 'c4', name: 'read_file', args: { path: 'nothing' } },
]

/** What the app shows of a session, opened as much as it can be. */
function draw(view: View): readonly string[] {
  const opened = new Map(callsOf(view).map(({ key }) => [key, 'json' as Opened]))
  const canvas = { columns: 80, paint: createPaint(false), now: 5_000, isStill: true, isAscii: false }
  return drawTranscript(createBlockDrawer(), view, { opened, selected: null }, canvas).rows
}

async function makeSession(): Promise<TestSession> {
  const made = await testSession([{ text: 'I begin.', calls: CALLS }, { text: 'Done.' }])
  await made.session.send('go')
  await made.session.close()
  return made
}

describe('whatever another program writes into the log, the app shows nothing that a terminal acts on', () => {
  it('with a hostile text in any field of its entries and contents', async () => {
    const { b } = await makeSession()
    const fields = fieldsOfLog(join(b.top, 'state'))
    expect(fields).toEqual(expect.arrayContaining(['state', 'durationMs', 'exit_code']))
    const others = shuffled(fields, chooserFrom(HARDENING_SEED)).slice(0, triesOf(3, 60))
    for (const field of new Set(['state', 'durationMs', 'code', 'exit_code', ...others])) {
      const made = await makeSession()
      spoilField(join(made.b.top, 'state'), field)
      const session = await made.open()
      const shown = draw(session.view())
      await session.close()
      expect(
        shown.filter((row) => ACTS.test(row)),
        `${field}, seed ${HARDENING_SEED}`,
      ).toEqual([])
    }
  })

  it('control: the text is in what is drawn', async () => {
    const made = await makeSession()
    spoilField(join(made.b.top, 'state'), 'name')
    const session = await made.open()
    const view = session.view()
    await session.close()
    expect(callsOf(view).some(({ name }) => ACTS.test(name))).toBe(true)
    expect(draw(view).join('\n')).toContain('read_file')
  })
})
