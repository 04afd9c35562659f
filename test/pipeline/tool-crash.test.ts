import { expect, it } from 'vitest'
import { JournalError } from '../../src/journal/journal-error.ts'
import { errorFrom } from '../../src/pipeline/tool-crash.ts'

it('R-CHK-RT-8: a journal that cannot be read is not called a bug of the tool that wanted it', () => {
  const thrown = new JournalError('io', 'The journal cannot be used (disk I/O error).', 'Check the disk.')
  expect(errorFrom('edit_file', thrown)).toMatchObject({
    code: 'execution_failed',
    message: 'The journal cannot be used (disk I/O error).',
    recovery: ['Check the disk.'],
  })
  expect(errorFrom('edit_file', new Error('oops'))).toMatchObject({ code: 'crashed' })
})
