import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfiguration } from '../../../src/runtime/configure/load-configuration.ts'
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
})
