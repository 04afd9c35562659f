import { describe, expect, it } from 'vitest'
import { bench } from '../bench-folder.ts'

describe('what a program opens a runtime with', () => {
  it('is refused if its durability is not known, instead of being less durable than it may mean', async () => {
    const b = bench()
    for (const durability of ['Full', 'fsync', '', null, true])
      await expect(b.open({ durability: durability as unknown as 'full' })).rejects.toThrow(
        /^the program: durability: it must be one of "memory", "normal", "full"/,
      )
    // Control: without one it is the setting.
    await expect(b.open()).resolves.toHaveProperty('root')
  })
})
