import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'

const FILES = { 'd/f.txt': 'one\n', 'p.txt': 'one\n' }
const LINE = 'echo printed; echo two >d/new; echo two >>p.txt'
const later = (asked: readonly unknown[]) => asked.map(() => 'later' as const)

function fix({ root }: Bench): () => void {
  const setFlag = (flag: string): void => void execFileSync('chattr', [flag, join(root, 'd')])
  setFlag('+a')
  onTestFinished(() => {
    if (fs.existsSync(root)) setFlag('-a')
  })
  return () => setFlag('-a')
}

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'an obstacle that comes before the yes',
  () => {
    it('leaves the question open, and the same yes lands everything once it is gone', async () => {
      const b = bench(FILES)
      const runtime = await b.open({ approve: later })
      await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', LINE] } }])
      const [question] = await runtime.pending()
      if (question === undefined) throw new Error('nothing waits')
      const free = fix(b)
      const yes = () => runtime.decide([question.id], { isApproved: true })
      const refused = await yes()
      expect(refused.faults).toEqual([
        {
          id: question.id,
          why: expect.stringMatching(/still waits: d cannot be changed.*approve it again/) as string,
        },
      ])
      expect((await runtime.pending()).map(({ id }) => id)).toEqual([question.id])
      free()
      const { results } = await yes()
      expect(outputOf(results[0])).toMatchObject({ changes: [{ path: 'd/new' }, { path: 'p.txt' }] })
      expect(fs.readFileSync(join(b.root, 'd/new'), 'utf8')).toBe('two\n')
      await runtime.undo({})
      expect(fs.existsSync(join(b.root, 'd/new'))).toBe(false)
    })

    it('keeps the layer if the yes is given at once, and the error names it with what was printed', async () => {
      const b = bench(FILES)
      const approve = (asked: readonly unknown[]) => {
        fix(b)
        return asked.map(() => 'once' as const)
      }
      const first = await b.open({ approve, durability: 'full' })
      const [result] = await first.run([{ id: 'c', name: 'run_shell', args: { cmd: ['sh', '-c', LINE] } }])
      await first.close()
      if (result === undefined) throw new Error('no result')
      const { details, message } = errorOf(result)
      expect(message).toMatch(/^Nothing was landed: d cannot be changed.*is kept on its layer.*printed/s)
      expect(details).toMatchObject({ reason: 'obstacle', path: 'd', layer: expect.any(String) as string })
      const kept = join(b.stateDir, 'layers', String(details['layer']), '0/upper/d/new')
      expect(fs.readFileSync(kept, 'utf8')).toBe('two\n')
      // The next process sweeps what is left over.
      await b.call('run_shell', { cmd: ['true'] }, { durability: 'full' })
      expect(fs.readFileSync(kept, 'utf8')).toBe('two\n')
      expect(fs.readFileSync(join(b.root, 'p.txt'), 'utf8')).toBe('one\n')
    })
  },
)
