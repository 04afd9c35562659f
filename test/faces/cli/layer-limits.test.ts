import { describe, expect, it } from 'vitest'
import { useShops } from './command-line.ts'
import { layersOf, shellCall } from './land-command.ts'

const shop = useShops()

describe('a command that writes without end', () => {
  it.for([
    ['one file', 'layer_max_bytes=20000000', 'mkdir out; cat /dev/zero >out/big', /limit is 19 MiB.* out \(/],
    [
      'many files',
      'layer_max_files=500',
      'mkdir -p some/many; n=0; while :; do n=$((n+1)); echo >some/many/$n; done',
      /limit is 500 files\. Most of it is in some\/many \(/,
    ],
  ] as const)('(%s) is stopped at its limit, and nothing of it stays', async ([, limit, line, said]) => {
    const s = shop({ a: 'a\n' })
    const { rows } = await s.batch([shellCall(line)], '--yes', '--set', `tools.shell.${limit}`)
    const [row] = rows
    expect(row).toMatchObject({
      ok: false,
      error: { code: 'limit_exceeded', details: { effects: 'discarded' } },
      execution: { state: 'ROLLED_BACK' },
    })
    expect(row?.content).toMatch(said)
    expect(row?.content).toContain('The command was stopped')
    expect(s.get('out/big')).toBeNull()
    expect(layersOf(s)).toEqual([])
  })
})
