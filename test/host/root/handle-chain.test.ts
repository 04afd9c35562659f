import { describe, expect, it } from 'vitest'
import { HandleChain } from '../../../src/host/root/handle-chain.ts'

describe('the folders of a walk', () => {
  it('can all be had again while at most 64 are open, at the cost of few extra steps', () => {
    const open = new Set<string>()
    let steps = 0
    let mostOpen = 0
    const enter = (parent: string, name: string): string => {
      if (!open.has(parent)) throw new Error(`${parent} is closed`)
      steps++
      open.add(`${parent}/${name}`)
      mostOpen = Math.max(mostOpen, open.size)
      return `${parent}/${name}`
    }
    open.add('')
    const chain = new HandleChain({ enter, leave: (handle) => open.delete(handle) }, '')
    const depth = 2000
    for (let at = 0; at < depth; at++) chain.enter(`${at}`)
    let expected = Array.from({ length: depth }, (_, at) => `/${at}`).join('')
    for (let at = depth; at > 0; at--) {
      expect(chain.current() === expected).toBe(true)
      chain.leave()
      expected = expected.slice(0, expected.lastIndexOf('/'))
    }
    expect(chain.current()).toBe('')
    expect(mostOpen).toBeLessThanOrEqual(65)
    expect(steps).toBeLessThan(6 * depth)
    chain.close()
    expect(open.size).toBe(0)
  })
})
