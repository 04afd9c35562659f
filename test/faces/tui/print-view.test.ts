import { afterEach, describe, expect, it } from 'vitest'
import type { Approver } from '../../../src/core/approval.ts'
import type { AppSession } from '../../../src/faces/tui/app-session.ts'
import { createViewPrinter } from '../../../src/faces/tui/plain/print-view.ts'
import { EMPTY_VIEW } from '../../../src/faces/tui/view/view.ts'
import { testSession } from './test-session.ts'

const CANVAS = {
  columns: 80,
  paint: (_style: string, text: string) => text,
  now: 0,
  isStill: true,
  isAscii: true,
}
const later: Approver = () => 'later'
let opened: AppSession[] = []

afterEach(async () => {
  for (const session of opened) await session.close()
  opened = []
})

async function printing(approve?: Approver) {
  const t = await testSession(null, approve === undefined ? {} : { approve })
  opened.push(t.session)
  const rows: string[] = []
  const print = createViewPrinter(
    (row) => rows.push(row),
    () => CANVAS,
    () => 50,
  )
  const fresh = (session: AppSession, name: string): string => {
    rows.length = 0
    print(session.view(), name)
    return rows.join('\n')
  }
  return { ...t, fresh }
}

describe('a view, printed line by line', () => {
  it('goes on behind a call whose question was put off', async () => {
    const { session, fresh } = await printing(later)
    await session.runCall('write_file', { path: 'b.txt', content: 'b\n' })
    expect(fresh(session, 's')).not.toContain('write_file')
    await session.runCall('read_file', { path: 'a.txt' })
    expect(fresh(session, 's')).toMatch(/read_file a\.txt[\s\S]*alpha/)
    expect(fresh(session, 's')).toBe('')
  })

  it('what the app says is printed once each, also after the screen was cleared', async () => {
    const { session, fresh } = await printing()
    session.say('plain', 'one')
    expect(fresh(session, 's')).toContain('one')
    session.clear()
    session.say('plain', 'two')
    expect(fresh(session, 's')).toContain('two')
    expect(fresh(session, 's')).toBe('')
  })

  it('words that the terminal has echoed are not printed again', () => {
    const rows: string[] = []
    const print = createViewPrinter(
      (row) => rows.push(row),
      () => CANVAS,
      () => 50,
      (said) => said === 'typed here',
    )
    const said = (key: string, text: string) => ({ kind: 'said', key, turn: 't', text }) as const
    print({ ...EMPTY_VIEW, blocks: [said('a', 'said before'), said('b', 'typed here')] }, 's')
    expect(rows.join('\n')).toContain('said before')
    expect(rows.join('\n')).not.toContain('typed here')
  })

  it('the same place in the log of another session is another piece', async () => {
    const { session, fresh } = await printing()
    await session.runCall('read_file', { path: 'a.txt' })
    expect(fresh(session, 's')).toContain('alpha')
    expect(fresh(session, 'other')).toContain('alpha')
  })
})
