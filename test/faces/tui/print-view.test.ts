import { afterEach, describe, expect, it } from 'vitest'
import type { Approver } from '../../../src/core/approval.ts'
import type { OpenSession } from '../../../src/faces/tui/desk.ts'
import { createViewPrinter } from '../../../src/faces/tui/plain/print-view.ts'
import { testDesk } from './test-desk.ts'

const CANVAS = {
  columns: 80,
  paint: (_style: string, text: string) => text,
  now: 0,
  isStill: true,
  isAscii: true,
}
const later: Approver = () => 'later'
let opened: OpenSession[] = []

afterEach(async () => {
  for (const desk of opened) await desk.close()
  opened = []
})

async function printing(approve?: Approver) {
  const t = await testDesk(null, approve === undefined ? {} : { approve })
  opened.push(t.desk)
  const rows: string[] = []
  const print = createViewPrinter(
    (row) => rows.push(row),
    () => CANVAS,
    () => 50,
  )
  const fresh = (desk: OpenSession, session: string): string => {
    rows.length = 0
    print(desk.view(), session)
    return rows.join('\n')
  }
  return { ...t, fresh }
}

describe('a view, printed line by line', () => {
  it('goes on behind a call whose question was put off', async () => {
    const { desk, fresh } = await printing(later)
    await desk.runCall('write_file', { path: 'b.txt', content: 'b\n' })
    expect(fresh(desk, 's')).not.toContain('write_file')
    await desk.runCall('read_file', { path: 'a.txt' })
    expect(fresh(desk, 's')).toMatch(/read_file a\.txt[\s\S]*alpha/)
    expect(fresh(desk, 's')).toBe('')
  })

  it('what the app says is printed once each, also after the screen was cleared', async () => {
    const { desk, fresh } = await printing()
    desk.say('plain', 'one')
    expect(fresh(desk, 's')).toContain('one')
    desk.clear()
    desk.say('plain', 'two')
    expect(fresh(desk, 's')).toContain('two')
    expect(fresh(desk, 's')).toBe('')
  })

  it('the same place in the log of another session is another piece', async () => {
    const { desk, fresh } = await printing()
    await desk.runCall('read_file', { path: 'a.txt' })
    expect(fresh(desk, 's')).toContain('alpha')
    expect(fresh(desk, 'other')).toContain('alpha')
  })
})
