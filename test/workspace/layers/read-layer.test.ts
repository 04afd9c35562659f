import { describe, expect, it, onTestFinished } from 'vitest'
import { makeLayerBench, refusalOf } from './layer-bench.ts'
import type { LayerBench } from './layer-bench.ts'

function benchWith(prepare: string, script: string): LayerBench {
  const bench = makeLayerBench()
  onTestFinished(bench.remove)
  bench.prepare(prepare)
  bench.onLayer(script)
  return bench
}

describe('what a command left on its layer', () => {
  it('is read as created, modified and deleted files, links and folders', async () => {
    const bench = benchWith(
      'echo one >a; echo two >b; echo three >c; mkdir d; echo x >d/e; chmod 644 c',
      'echo more >>a; rm b; chmod 755 c; echo new >n; ln -s a l; mkdir empty; rm -r d; touch a',
    )
    const { shown, changes, diff } = await bench.read()
    expect(shown).toEqual([
      { path: 'a', change: 'modified' },
      { path: 'b', change: 'deleted' },
      { path: 'c', change: 'modified' },
      { path: 'd/e', change: 'deleted' },
      { path: 'l', change: 'created' },
      { path: 'n', change: 'created' },
    ])
    expect(changes.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'd/e', 'empty', 'l', 'n'])
    expect(diff).toContain('+more')
    expect(diff).toContain('Mode of c: 644 → 755')
    expect(diff).toContain('Link created: l → a')
    expect(diff).toContain('Folder created: empty')
  })

  it('leaves out a new file of a denied name and says why', async () => {
    const bench = benchWith('echo 1 >a', 'echo s >.env; echo 2 >a')
    const { shown, leftOut } = await bench.read()
    expect(shown.map(({ path }) => path)).toEqual(['a'])
    expect(leftOut).toEqual([{ path: '.env', why: 'it is denied by the pattern **/.env' }])
    expect(await refusalOf(bench.read())).toBe('not refused')
  })

  it('is refused whole where a denied file would change', async () => {
    const bench = benchWith('echo 1 >.env', 'echo 2 >.env')
    expect(await refusalOf(bench.read())).toContain(
      'denied_pattern: Nothing was landed: .env would have been changed',
    )
  })
})
