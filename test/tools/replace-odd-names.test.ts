import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench, outputOf } from '../bench-folder.ts'

it('replace skips and names a file whose name is not UTF-8, and changes the others', async () => {
  const b = bench({ 'src/a.ts': 'getUser\n' })
  const odd = Buffer.concat([Buffer.from(join(b.root, 'src/bad')), Buffer.from([0xff]), Buffer.from('.ts')])
  writeFileSync(odd, 'getUser\n')
  const args = { old: 'getUser', new: 'X', paths: ['src/**'] }
  const approve = (asked: readonly unknown[]) => asked.map(() => 'once' as const)
  const result = outputOf(await b.call('replace', args, { approve }))
  expect(result).toMatchObject({
    files: [{ path: 'src/a.ts', replaced: 1 }],
    skipped: [{ path: 'src/bad\ufffd.ts', why: expect.stringContaining('its name is not UTF-8') as string }],
  })
})
