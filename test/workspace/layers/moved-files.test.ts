import { describe, expect, it, vi } from 'vitest'
import type { HashedChange } from '../../../src/workspace/layers/file-changes.ts'
import { findMoved } from '../../../src/workspace/layers/moved-files.ts'

const part = { lower: { path: '/w' } }

/** A removed or a new file with some content, and how often the paths of all of them were read. */
function makeChanges() {
  let reads = 0
  const make = (own: string, content: string, isNew: boolean): HashedChange => {
    const stat = { kind: 'file', size: 1 }
    const sides = isNew
      ? { before: null, after: stat, beforeDigest: null, afterDigest: content }
      : { before: stat, after: null, beforeDigest: content, afterDigest: null }
    const change = { part, ...sides }
    Object.defineProperty(change, 'path', {
      get: () => {
        reads += 1
        return own
      },
    })
    return change as unknown as HashedChange
  }
  return { make, reads: () => reads }
}

/** The moves among files, as `from > to`; each is a path and a content. */
function movesOf(gone: readonly string[], made: readonly string[]): readonly string[] {
  const { make } = makeChanges()
  const read = (isNew: boolean) => (written: string) => {
    const [path = '', content = ''] = written.split('=')
    return make(path, content, isNew)
  }
  const moved = findMoved([...gone.map(read(false)), ...made.map(read(true))])
  return [...moved].map(([to, from]) => `${from.path} > ${to.path}`).toSorted()
}

describe('moved files', () => {
  it('are told by their content, of several by the name, then by the folder, then in order', () => {
    expect(movesOf(['a/x=1', 'b/y=1'], ['c/y=1', 'c/x=1'])).toEqual(['a/x > c/x', 'b/y > c/y'])
    expect(movesOf(['a/x=1', 'b/y=1'], ['b/q=1', 'a/q=1'])).toEqual(['a/x > a/q', 'b/y > b/q'])
    expect(movesOf(['a/x=1', 'b/y=1'], ['c/p=1', 'c/q=1'])).toEqual(['a/x > c/p', 'b/y > c/q'])
    expect(movesOf(['a/x=1'], ['b/x=1', 'c/x=1', 'd/x=2'])).toEqual(['a/x > b/x'])
    expect(movesOf(['a/x=1', 'a/y=1', 'b/z=1'], ['b/x=1', 'b/z2=1', 'c/n=1'])).toEqual([
      'a/x > b/x',
      'a/y > c/n',
      'b/z > b/z2',
    ])
  })

  it('are each looked at a few times, however many have the same content', () => {
    const { make, reads } = makeChanges()
    const count = 3_000
    const gone = Array.from({ length: count }, (_, at) => make(`old-${at}/a-${at}`, 'same', false))
    const made = Array.from({ length: count }, (_, at) => make(`new-${at}/b-${at}`, 'same', true))
    expect(findMoved([...gone, ...made]).size).toBe(count)
    expect(reads()).toBeLessThan(10 * count)
  })

  it.each<readonly [string, (at: number, count: number) => readonly [gone: string, made: string]]>([
    ['under other names', (at) => [`old/a${at}`, `new/b${at}`]],
    ['in the reverse order', (at, count) => [`old/a${at}`, `new/a${count - at}`]],
    ['of one name', (at) => [`old${at}/x`, `new${at}/x`]],
    ['in one folder, exchanged', (at, count) => [`in/a${at}`, `in/b${count - at}`]],
  ])('are each held against a few others, however many have the same content (%s)', (_, pathsOf) => {
    const { make, reads } = makeChanges()
    const count = 3_000
    const paths = Array.from({ length: count }, (_unused, at) => pathsOf(at, count))
    const changes = [
      ...paths.map(([gone]) => make(gone, 'same', false)),
      ...paths.map(([, made]) => make(made, 'same', true)),
    ]
    expect(looksOf(() => findMoved(changes))).toBeLessThan(10 * count)
    expect(reads()).toBeLessThan(10 * count)
  })
})

/** How often something looks whether a value is in a set. */
function looksOf(act: () => void): number {
  const { has } = Set.prototype
  let looks = 0
  const watched = vi.spyOn(Set.prototype, 'has').mockImplementation(function look(this: Set<unknown>, value) {
    looks += 1
    return has.call(this, value)
  })
  act()
  watched.mockRestore()
  return looks
}
