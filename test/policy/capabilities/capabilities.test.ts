import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CAPABILITIES, expandCapability } from '../../../src/core/capability.ts'
import { createBoundary } from '../../../src/policy/capabilities/boundary.ts'
import { KEYS } from '../../../src/config/keys.ts'
import { withPrerequisites } from '../../../src/policy/capabilities/capability-tree.ts'
import { judgeCapabilities } from '../../../src/policy/capabilities/capability-gate.ts'

const some = fc.subarray([...CAPABILITIES])
const BRANCHES = ['filesystem.*', 'process.*', 'network.*', 'system.*', 'state.*']
const words = fc.subarray([...CAPABILITIES, ...BRANCHES, 'nonsense', '*', 'network', '.*'])

describe('the tree of capabilities', () => {
  it('a capability brings what it cannot be had without', () => {
    expect(withPrerequisites(['filesystem.delete'])).toEqual([
      'filesystem.read',
      'filesystem.write',
      'filesystem.delete',
    ])
    expect(withPrerequisites(['process.kill'])).toEqual([
      'filesystem.read',
      'filesystem.execute',
      'process.spawn',
      'process.kill',
      'process.signal',
    ])
    expect(withPrerequisites([])).toEqual([])
  })

  it('a star stands for a whole branch, and only for a branch', () => {
    expect(expandCapability('network.*')).toEqual(['network.connect', 'network.listen'])
    expect(expandCapability('network.connect')).toEqual(['network.connect'])
    for (const word of ['*', '.*', 'network', 'net.*', 'network.*.*', 'Network.*', 'toString', '']) {
      expect(expandCapability(word)).toEqual([])
    }
  })
})

describe('what a tool gets', () => {
  it('is what it declared and what that needs, and nothing else', () => {
    expect(judgeCapabilities('t', ['filesystem.write'], ['filesystem.*', 'network.*'])).toEqual({
      ok: true,
      capabilities: ['filesystem.read', 'filesystem.write'],
    })
  })

  it('a denial says what is missing, what for and how risky it would be', () => {
    const verdict = judgeCapabilities(
      'deploy',
      ['process.spawn', 'network.connect'],
      ['filesystem.read', 'process.*'],
    )
    expect(verdict).toMatchObject({
      ok: false,
      missing: ['filesystem.execute', 'network.connect'],
      error: {
        code: 'capability_denied',
        message:
          'deploy needs capabilities that are not granted: filesystem.execute (run programs), network.connect (reach other machines).',
        details: {
          missing: ['filesystem.execute', 'network.connect'],
          declared: ['process.spawn', 'network.connect'],
          granted: ['filesystem.read', 'process.*'],
          needed_by: { 'filesystem.execute': 'process.spawn', 'network.connect': 'network.connect' },
          risk: { 'filesystem.execute': 'High', 'network.connect': 'High' },
        },
      },
    })
  })

  it('the profiles differ in the network', () => {
    const { agent, strict } = KEYS['tools.capabilities.granted']
    expect(judgeCapabilities('t', ['network.connect'], agent).ok).toBe(true)
    expect(judgeCapabilities('t', ['network.connect'], strict).ok).toBe(false)
    expect(judgeCapabilities('t', ['network.listen'], agent).ok).toBe(false)
    expect(
      judgeCapabilities('t', ['process.kill', 'filesystem.delete', 'state.write', 'system.env'], strict).ok,
    ).toBe(true)
  })

  it('granting less or declaring more never allows more', () => {
    const law = fc.property(some, some, words, words, (declared, more, granted, fewer) => {
      const isAllowed = judgeCapabilities('t', declared, granted).ok
      const less = granted.filter((word) => !fewer.includes(word))
      if (!isAllowed) {
        expect(judgeCapabilities('t', declared, less).ok).toBe(false)
        expect(judgeCapabilities('t', [...declared, ...more], granted).ok).toBe(false)
      }
    })
    fc.assert(law)
  })
})

describe('the boundary of a running tool', () => {
  it('lets through what was declared, at each use, and stops everything else', () => {
    const law = fc.property(some, fc.constantFrom(...CAPABILITIES), (declared, used) => {
      const boundary = createBoundary('t', declared)
      const isInside = withPrerequisites(declared).includes(used)
      expect(boundary.check(used) === null).toBe(isInside)
      expect(boundary.breach() === null).toBe(isInside)
    })
    fc.assert(law)
  })

  it('remembers the first thing that was reached for, even if the tool swallows the error', () => {
    const boundary = createBoundary('reader', ['filesystem.read'])
    boundary.check('filesystem.write')
    boundary.check('network.connect')
    expect(boundary.check('filesystem.read')).toBeNull()
    expect(boundary.breach()).toMatchObject({
      code: 'capability_denied',
      details: { reached_for: 'filesystem.write', declared: ['filesystem.read'] },
      message:
        'reader tried to create and change files without declaring filesystem.write, so it was stopped.',
    })
  })
})
