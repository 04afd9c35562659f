import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Availability } from '../../src/policy/judge-resources.ts'
import { findShortage } from '../../src/policy/judge-resources.ts'
import { judgeWith, wordFor } from './sample-facts.ts'

const needing = (bytes: number, descriptors: number) => ({
  'tools.resources.min_free_bytes': bytes,
  'tools.resources.min_free_descriptors': descriptors,
})

function left(freeBytes: number, open = 10, limit = 100): Availability {
  return { disks: [{ folder: 'the workspace', path: '/w', freeBytes }], descriptors: { open, limit } }
}

describe('what must be left before a call starts', () => {
  it('RULE 3: a disk may be exactly as full as the limit says, and not a byte fuller', () => {
    expect(findShortage(left(1000), needing(1000, 0))).toBeNull()
    expect(findShortage(left(999), needing(1000, 0))).toMatchObject({
      fact: '999 bytes are free on the disk of the workspace, and at least 1000 must be',
      error: {
        code: 'resource_exhausted',
        details: { resource: 'disk', path: '/w', free_bytes: 999, min_free_bytes: 1000 },
      },
    })
  })

  it('RULE 3: as many files as the limit says must still be possible, and not one fewer', () => {
    expect(findShortage(left(0, 84, 100), needing(0, 16))).toBeNull()
    expect(findShortage(left(0, 85, 100), needing(0, 16))).toMatchObject({
      fact: '85 files are open of at most 100, and at least 16 more must be possible',
      error: { details: { resource: 'descriptors', open: 85, limit: 100 } },
    })
  })

  it('the disk that is short is the one that is named', () => {
    const disks = [
      { folder: 'the workspace', path: '/w', freeBytes: 5000 },
      { folder: 'the state folder', path: '/s', freeBytes: 10 },
    ] as const
    expect(findShortage({ disks, descriptors: null }, needing(1000, 16))?.error.details['path']).toBe('/s')
  })

  it('what the system does not tell stops nothing', () => {
    expect(findShortage({ disks: [], descriptors: null }, needing(1e15, 1e6))).toBeNull()
  })

  it('demanding more or having less never lets more start', () => {
    const amount = fc.integer({ min: 0, max: 50 })
    const law = fc.property(amount, amount, amount, amount, amount, (free, open, bytes, files, less) => {
      const before = findShortage(left(free, open, 50), needing(bytes, files))
      if (before === null) return
      expect(findShortage(left(free - less, open + less, 50), needing(bytes, files))).not.toBeNull()
      expect(findShortage(left(free, open, 50), needing(bytes + less, files + less))).not.toBeNull()
    })
    fc.assert(law)
  })
})

describe('the gate', () => {
  const short = left(10)

  it('is the last: what policy refuses is refused as that, and nobody is asked about a call that cannot start', async () => {
    expect(await wordFor({ resources: short })).toBe('resource_exhausted')
    expect(await wordFor({ resources: short }, { 'tools.approval.denylist': ['editor'] })).toBe('denylisted')
    expect(await wordFor({ resources: short }, { 'tools.capabilities.granted': [] })).toBe(
      'capability_denied',
    )
    const { findings } = await judgeWith({ resources: short })
    expect(findings.at(-1)).toMatchObject({ gate: 'resources', verdict: 'fail' })
  })

  it('says that enough is left, without figures that would differ from call to call', async () => {
    const { findings } = await judgeWith({ resources: left(1e9) })
    expect(findings.at(-1)?.fact).toBe('disks have room, more files can be opened')
    const { findings: reading } = await judgeWith({ resources: { disks: [], descriptors: null } })
    expect(reading.at(-1)?.fact).toBe('more files can be opened')
  })
})
