import { describe, expect, it } from 'vitest'
import { digest, seal, sealKey, secretBytes } from '../../../src/host/system/hash.ts'

describe('hashes', () => {
  it('a digest is SHA-256 in hex, of text and of bytes alike', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect([digest('abc'), digest(Buffer.from('abc'))]).toEqual([abc, abc])
  })

  it('a seal is HMAC-SHA-256, and another key makes another one', () => {
    const key = sealKey(Buffer.from('Jefe'))
    expect(seal(key, 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
    expect(seal(sealKey(Buffer.from('Jeff')), 'what do ya want for nothing?')).not.toBe(
      seal(key, 'what do ya want for nothing?'),
    )
  })

  it('secrets differ', () => {
    expect(secretBytes(32)).toHaveLength(32)
    expect(secretBytes(32)).not.toEqual(secretBytes(32))
  })
})
