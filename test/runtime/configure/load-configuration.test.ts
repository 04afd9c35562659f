import { chownSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
import { trust } from '../../../src/runtime/configure/trust.ts'
import { makeScratch } from '../../harness/scratch.ts'

describe('a file of the configuration', () => {
  it('that is a link which leads nowhere keeps everything from running: it might forbid something', async () => {
    const scratch = makeScratch()
    const place = {
      root: scratch.folder('root'),
      stateDir: scratch.at('state'),
      env: { HOME: scratch.folder('home'), XDG_CONFIG_HOME: scratch.at('config') },
      isPersonal: true,
    }
    const link = scratch.link('config/tongs/config.toml', scratch.at('share/config.toml'))
    await expect(loadConfiguration(place)).rejects.toThrow(/a link that leads nowhere/)
    // Control: without the link there is no such file.
    rmSync(link)
    expect((await loadConfiguration(place)).settings.profile).toBe('agent')
  })

  it.runIf(process.getuid?.() === 0)(
    'that belongs to another user keeps everything from running, as its programs would have our rights',
    async () => {
      const scratch = makeScratch()
      const place = {
        root: scratch.folder('root'),
        stateDir: scratch.at('state'),
        env: { HOME: scratch.folder('home') },
        isPersonal: true,
      }
      const file = scratch.file('home/.config/tongs/config.toml', 'tools.walk.max_entries = 5\n')
      chownSync(file, 12_345, 12_345)
      await expect(loadConfiguration(place)).rejects.toThrow(/belongs to another user.*sudo -H/)
      // Control: without an owner of its own it counts.
      chownSync(file, 0, 0)
      expect((await loadConfiguration(place)).settings['tools.walk.max_entries']).toBe(5)
    },
  )

  it('of a project that nobody trusts is refused if it is long, with what to do, and taken once it is trusted', async () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const stateDir = scratch.at('state')
    const place = { root, stateDir, env: { HOME: scratch.folder('home') }, isPersonal: true }
    const rule = '[[tools.rules]]\ntool = "glob"\ntype = "MaxCalls"\nmax = 5\n'
    const text = `${rule}# ${'x'.repeat(64 * 1024)}\n`
    scratch.file('root/.tongs.toml', text)
    await expect(loadConfiguration(place)).rejects.toThrow(
      /\.tongs\.toml: it has \d+ bytes, and the file of a project that is not trusted may have 65536 \(make it shorter, or read it and run "tongs trust"\)/,
    )
    trust({ stateDir, witness: '' }, root, text)
    expect((await loadConfiguration(place)).settings['tools.rules']).toHaveLength(1)
    const patterns = Array.from({ length: 600 }, (_, index) => `"x${index}"`)
    for (const listed of [patterns.join(), `"${'{a,b}'.repeat(8)}", "${'{c,d}'.repeat(8)}"`]) {
      scratch.file('root/.tongs.toml', `tools.sandbox.denied_patterns = [${listed}]\n`)
      await expect(loadConfiguration(place)).rejects.toThrow(
        /it has \d+ entries in its lists, and the file of a project that is not trusted may have 500/,
      )
    }
    // Control: one that is not as long needs no trust.
    scratch.file('root/.tongs.toml', text.slice(0, 64 * 1024))
    expect((await loadConfiguration(place)).settings['tools.rules']).toHaveLength(1)
  })
})
