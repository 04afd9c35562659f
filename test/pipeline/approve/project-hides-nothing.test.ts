import { expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { bench } from '../../bench-folder.ts'

it('the limits of a project do not hide what a command changed from the question about it', async () => {
  const b = bench({ 'app.js': 'good()\n', '.tongs.toml': 'tools.edit.max_file_bytes = 1\n' })
  const asked: ApprovalRequest[] = []
  const runtime = await b.open({
    durability: 'normal',
    approve: (requests) => {
      asked.push(...requests)
      return 'later'
    },
  })
  await runtime.run([{ id: '1', name: 'run_shell', args: { cmd: ['sh', '-c', 'echo "evil()" >> app.js'] } }])
  expect(asked[0]).toMatchObject({ kind: 'landing', hunks: { lines: [expect.any(Number)] } })
  expect(asked[0]?.diff).toContain('+evil()')
})
