import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testSession } from './test-session.ts'

const lines = (...changed: readonly number[]): string =>
  Array.from({ length: 30 }, (_, at) => `${changed.includes(at + 1) ? 'LINE' : 'line'} ${at + 1}\n`).join('')

it('of an edit that was put off only the chosen hunks are made', async () => {
  const { b, session } = await testSession(null, { files: { 'a.txt': lines() }, approve: () => 'later' })
  try {
    await session.runCall('read_file', { path: 'a.txt' })
    await session.runCall('write_file', { path: 'a.txt', content: lines(2, 28) })
    const [request] = await session.runtime.pending({ session: 's' })
    await session.decide([[request?.id ?? '', { answer: 'once', hunks: [2] }]])
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe(lines(28))
  } finally {
    await session.close()
  }
})
