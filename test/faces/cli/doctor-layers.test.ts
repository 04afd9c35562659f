import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { layersOf, shellCall } from './land-command.ts'

const shop = useShops()

async function linesOf(s: Shop, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const { out } = await s.tongs(['doctor', '--json', ...words])
  return JSON.parse(out) as Record<string, unknown>
}

describe('the doctor', () => {
  it('says how the changes of commands are kept apart, and makes no folder for that', async () => {
    const s = shop({ a: 'a\n' })
    expect((await linesOf(s))['command_layer']).toBe('overlay: what commands change lands as one edit')
    expect((await linesOf(s))['kept_layers']).toBe('none')
    expect(existsSync(`${s.stateDir}/layers`)).toBe(false)
    expect(readdirSync(s.root)).toEqual(['a'])
  })

  it('says that there is no layer, and why', async () => {
    const s = shop({ a: 'a\n' })
    const said = await linesOf(s, '--set', 'tools.shell.layer=off')
    expect(said['command_layer']).toBe('none. tools.shell.layer is off.')
  })

  it('counts the layers that are kept, and leaves them alone', async () => {
    const s = shop({ a: 'a\n' })
    await s.batch([shellCall('echo new > n')])
    expect((await linesOf(s))['kept_layers']).toMatch(/^1, \d+ bytes$/)
    expect(layersOf(s)).toHaveLength(1)
  })

  it("says what keeps commands from running where git's index cannot be read, and all the rest", async () => {
    const s = shop({ a: 'a\n' })
    execFileSync('git', ['init', '-q'], { cwd: s.root })
    writeFileSync(`${s.root}/.git/index`, 'nonsense')
    const said = await linesOf(s)
    expect(said['commands_can_read']).toMatch(/git's index in .*\.git cannot be used: it cannot be read/)
    expect(said['kept_layers']).toBe('none')
  })
})
