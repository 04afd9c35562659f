import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench, errorOf } from '../bench-folder.ts'

it('a call of a model that is approved later is still one of a model, to gates as well', async () => {
  const b = bench()
  const [seen, closed] = [join(b.top, 'seen'), join(b.top, 'closed')]
  const gate = join(b.top, 'gate.sh')
  writeFileSync(
    gate,
    `#!/bin/sh\ncat >> ${seen}\nif [ -e ${closed} ] && grep -q '"origin":"model"' ${seen}; then echo deny; else echo abstain; fi\n`,
  )
  chmodSync(gate, 0o755)
  const config = { 'tools.gates': [{ name: 'g', command: [gate], timeout_seconds: 60, tools: ['*'] }] }
  const first = await b.open({ durability: 'normal', config, approve: 'later' })
  await first.run([{ id: '1', name: 'write_file', args: { path: 'a', content: 'x' } }], {
    session: 's',
    origin: 'model',
  })
  const [question] = await first.pending()
  await first.close()
  expect(readFileSync(seen, 'utf8')).toContain('"origin":"model"')
  writeFileSync(seen, '')
  writeFileSync(closed, '')
  const second = await b.open({ durability: 'normal', config, approve: 'later' })
  const { results } = await second.decide([question?.id ?? ''], { isApproved: true })
  expect(errorOf(results[0]).code).toBe('not_allowed')
  expect(readFileSync(seen, 'utf8')).not.toContain('"origin":"person"')
  expect(existsSync(join(b.root, 'a'))).toBe(false)
})
