import { expect, it } from 'vitest'
import { bench, errorOf } from '../bench-folder.ts'

it('an unknown tool is told no tool that only a conversation could carry out', async () => {
  const { message, details } = errorOf(await bench().call('no_such_tool', {}))
  expect(message).toContain('write_file')
  expect(message).not.toContain('delegate')
  expect(JSON.stringify(details)).not.toContain('delegate')
})
