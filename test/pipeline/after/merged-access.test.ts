import { Buffer } from 'node:buffer'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../src/host/system/hash.ts'
import type { FileChange, FileState } from '../../../src/journal/entries/entry.ts'
import { mergeFile } from '../../../src/pipeline/after/merge-file.ts'
import { describeKept } from '../../../src/pipeline/after/revert-words.ts'
import { formatAttributes, parseAttributes } from '../../../src/workspace/landing/attribute-cache.ts'
import type { Attributes } from '../../../src/workspace/landing/merge-attributes.ts'

const [BEFORE, AFTER, NOW] = ['one\ntwo\nthree\n', 'one\nTWO\nthree\n', 'one\nTWO\nthree\nmine\n']
const CAPABILITY = 'security.capability'

const attributes = (...names: readonly string[]): Attributes =>
  new Map(names.map((name) => [name, Buffer.from(name)]))

interface Sides {
  /** Of the file as the call left it, and as it was before; absent if the journal was never told. */
  readonly left?: Attributes
  readonly was?: Attributes
  readonly now: Attributes
  /** What lies aside of the file as it was before. */
  readonly aside?: Attributes | null
  readonly held?: boolean
  readonly isErased?: boolean
  readonly text?: string
}

/** Takes a call back that wrote a line in capitals, from a file to which a person added one. */
function merge({ left, was, now, aside = null, held = true, isErased = false, text = NOW }: Sides) {
  const journal = new Map([BEFORE, AFTER].map((one) => [digest(one), Buffer.from(one) as Uint8Array]))
  const state = (one: string, own: Attributes | undefined, place: string): FileState => {
    const payload = own === undefined ? null : formatAttributes(own)
    const named = payload === null ? {} : { attributes: digest(payload) }
    if (payload !== null && !isErased) journal.set(digest(payload), payload)
    return { digest: digest(one), mode: 0o644, uid: 0, gid: 0, ...named, ...(held && { held: place }) }
  }
  const step: FileChange = {
    root: '/r',
    path: 'g',
    before: state(AFTER, left, 'upper/g'),
    after: state(BEFORE, was, 'old/0'),
    folders: [],
  }
  const current = { digest: digest(text), mode: 0o644, uid: 0, gid: 0 }
  const merged = mergeFile([step], {
    log: { payload: (one) => journal.get(one) ?? null },
    workspace: {
      readCurrent: () => ({ state: current, bytes: Buffer.from(text), identity: 'i' }),
      readSide: () => null,
      readAttributes: (_change, side) => (side === 'now' ? now : side === 'after' ? aside : null),
    },
    digest,
    maxBytes: 1000,
  })
  if (!merged.ok) return merged.why
  const named = merged.change?.after?.attributes
  const payload = named === undefined ? undefined : merged.payloads.get(named)
  return { names: payload === undefined ? [] : [...parseAttributes(payload).keys()], stays: merged.stays }
}

describe('a file that is merged', () => {
  it('keeps what may be of the call if that is not on record, and this is said', () => {
    const unknown = merge({ now: attributes('user.b', 'user.a'), aside: attributes('user.a') })
    expect(unknown).toEqual({ names: ['user.a', 'user.b'], stays: ['user.b'] })
    const erased = { left: attributes('user.a'), was: attributes('user.b'), isErased: true }
    expect(merge({ ...erased, now: attributes('user.a') })).toEqual({ names: ['user.a'], stays: ['user.a'] })
    expect(describeKept(['g keeps user.a'])).toBe(
      'g keeps user.a: what these calls did to that is not on record any more',
    )
    // Nothing needs to be said where the file has what it had before.
    expect(merge({ now: attributes('user.a'), aside: attributes('user.a') })).toEqual({
      names: ['user.a'],
      stays: [],
    })
  })

  it.for([true, false])(
    'loses what the call gave it, gets what it took, and keeps the rest (held: %s)',
    (held) => {
      const sides = {
        left: attributes('user.kept', 'user.given'),
        was: attributes('user.kept', 'user.taken'),
        held,
      }
      const now = attributes('user.kept', 'user.given', 'user.mine', 'security.selinux')
      expect(merge({ ...sides, now })).toEqual({
        names: ['security.selinux', 'user.kept', 'user.mine', 'user.taken'],
        stays: [],
      })
      const bare = { left: attributes('user.given'), was: attributes(), held }
      expect(merge({ ...bare, now: attributes('user.given') })).toEqual({ names: [], stays: [] })
    },
  )

  it('is refused if both changed an attribute', () => {
    const now = new Map([['user.given', Buffer.from('by me')]])
    expect(merge({ left: attributes('user.given'), was: attributes(), now })).toBe(
      'both changed its attribute user.given',
    )
  })

  it('gets the capabilities of a program back only with the content that had them', () => {
    const sides = { left: attributes(), was: attributes(CAPABILITY), held: false, now: attributes() }
    expect(merge(sides)).toMatchObject({ names: [] })
    expect(merge({ ...sides, text: AFTER })).toMatchObject({ names: [CAPABILITY] })
    expect(merge({ ...sides, was: attributes(), now: attributes(CAPABILITY) })).toMatchObject({ names: [] })
  })
})
