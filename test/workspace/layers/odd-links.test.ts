import { describe, expect, it } from 'vitest'
import { makeLayerBench } from './layer-bench.ts'

const LONG = 'a'.repeat(300)

/** What a link leads to that leads nowhere, with what the workspace holds first. */
const NOWHERE = [
  ['a name that is too long', 'true', LONG],
  ['such a name in the root, from the top on', 'true', `ROOT/${LONG}`],
  ['such a name below a folder', 'mkdir d', `d/${LONG}/x`],
  ['a file as if it were a folder', 'echo f >f', 'f/x'],
  ['a circle', 'ln -s one two; ln -s two one', 'one/x'],
  ['more links than the system follows', 'ln -s . here', `${'here/'.repeat(60)}x`],
] as const

describe('a link that a command makes to', () => {
  it.for(NOWHERE)('%s lands with everything else, and is not said to lead out', async ([, first, target]) => {
    const b = makeLayerBench()
    try {
      b.prepare(first)
      b.onLayer(`echo new >new; ln -s "${target.replace('ROOT', b.root)}" link`)
      const { changes, notes } = await b.read()
      expect(changes.map(({ path }) => path)).toEqual(['link', 'new'])
      expect(notes).toEqual([])
    } finally {
      b.remove()
    }
  })

  it('control: one that does lead out is said to', async () => {
    const b = makeLayerBench()
    try {
      b.onLayer(`ln -s ../${LONG} link`)
      expect((await b.read()).notes).toEqual(['links that lead out of the workspace: link'])
    } finally {
      b.remove()
    }
  })
})
