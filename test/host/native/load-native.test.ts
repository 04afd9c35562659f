import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { findNative, nativeSource } from '../../../src/host/native/load-native.ts'

const MODULE = new URL('../../../src/host/native/load-native.ts', import.meta.url).href

/** What a fresh process prints. */
function inFreshProcess(code: string): string {
  const program = `
    import { nativeSource } from ${JSON.stringify(MODULE)}
    import { readFileSync } from 'node:fs'
    const isLoaded = () => readFileSync('/proc/self/maps', 'latin1').includes('koffi')
    ${code}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  return stdout + stderr
}

afterEach(() => {
  delete process.env['TONGS_NATIVE']
})

describe('loading native code', () => {
  it('happens when something is safer with it, not before', () => {
    const code = `const { load } = nativeSource()
      console.log(isLoaded(), load() !== null, isLoaded())`
    expect(inFreshProcess(code)).toBe('false true true\n')
  })

  it('happens for what is only quicker when that was asked for often', () => {
    const code = `const { loadIfWorthwhile } = nativeSource()
      let uses = 1
      while (loadIfWorthwhile() === null) uses++
      console.log(uses, isLoaded())`
    expect(inFreshProcess(code)).toBe('400 true\n')
  })

  it('never happens if the environment turns it off', () => {
    process.env['TONGS_NATIVE'] = 'off'
    expect(findNative()).toBe('turned off')
    expect(nativeSource().load()).toBeNull()
    expect(nativeSource().loadIfWorthwhile()).toBeNull()
  })
})
