import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { locationsOf } from '../../../src/wire/acp/tool-shape.ts'

it.for<readonly [JsonObject, readonly string[]]>([
  [{ path: 'a.txt', start_line: 2 }, ['/a.txt:2']],
  [{ from: 'a', to: 'b' }, ['/a', '/b']],
  [{ patch: 'LP1\nF a.txt\nT\n.\nF b.txt\nEND' }, ['/a.txt', '/b.txt']],
  [
    {
      edits: [
        { path: 'a', start_line: 2 },
        { path: 'b', start_line: 7 },
        { path: 'a', start_line: 9 },
        { path: 'a', start_line: 2 },
        1,
      ],
    },
    ['/a:2', '/b:7', '/a:9'],
  ],
  [{ path: 'tongs:x', edits: 5 }, []],
])('%j leads an editor to %j', ([args, places]) => {
  const found = locationsOf(args, (path) => (path.startsWith('tongs:') ? null : `/${path}`))
  expect(found.map(({ path, line }) => (typeof line === 'number' ? `${path}:${line}` : path))).toEqual(places)
})

it('a call with very many edits names some of its places', () => {
  const edits = Array.from({ length: 5_000 }, (_, at) => ({ path: 'a', start_line: at }))
  expect(locationsOf({ edits }, (path) => path)).toHaveLength(100)
})
