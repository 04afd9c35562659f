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
  it('happens when it was asked for often, and not before', () => {
    const code = `const find = nativeSource()
      let uses = 1
      let wasLoaded = isLoaded()
      for (; find() === null; uses++) wasLoaded = isLoaded()
      console.log(uses, wasLoaded, isLoaded())`
    expect(inFreshProcess(code)).toBe('400 false true\n')
  })

  it('never happens if the environment turns it off', () => {
    process.env['TONGS_NATIVE'] = 'off'
    expect(findNative()).toBe('turned off')
    const find = nativeSource()
    expect(Array.from({ length: 500 }, find)).toEqual(Array.from({ length: 500 }, () => null))
  })
})
