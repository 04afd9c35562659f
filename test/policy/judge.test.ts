import { describe, expect, it } from 'vitest'
import { createFindingCache, judge } from '../../src/policy/judge.ts'
import { GOOD, settingsWith } from './sample-facts.ts'

describe('findings that calls share', async () => {
  const settings = await settingsWith({})

  it('are one list for calls that the gates judge alike', () => {
    const cache = createFindingCache()
    const first = judge(GOOD, settings, { cache })
    const second = judge({ ...GOOD }, settings, { cache })
    expect(second.findings).toBe(first.findings)
  })

  it('are the same objects but for what differs', () => {
    const cache = createFindingCache()
    const first = judge(GOOD, settings, { cache })
    const second = judge({ ...GOOD, position: 2 }, settings, { cache })
    const differing = second.findings.filter((finding, at) => finding !== first.findings[at])
    expect(differing.map(({ gate }) => gate)).toEqual(['batch limit'])
  })

  it('say the same as findings that nothing is shared with', () => {
    const cache = createFindingCache()
    judge({ ...GOOD, position: 3, name: 'glob' }, settings, { cache })
    expect(judge(GOOD, settings, { cache })).toEqual(judge(GOOD, settings))
  })

  it('belong to one cache: another one knows nothing of them', () => {
    const first = judge(GOOD, settings, { cache: createFindingCache() })
    const second = judge(GOOD, settings, { cache: createFindingCache() })
    expect(second.findings).not.toBe(first.findings)
    expect(second.findings).toEqual(first.findings)
  })
})
