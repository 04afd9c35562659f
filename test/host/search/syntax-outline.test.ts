import { expect, it, vi } from 'vitest'
import { Tree } from 'web-tree-sitter'
import { outlineText } from '../../../src/host/search/syntax-outline.ts'

const REQUEST = {
  grammar: 'javascript',
  text: 'function first() {}\nfunction second() {}\n',
  opens: ['function_declaration'],
  ends: [],
  passes: [],
}

it('an outline names definitions, and its tree is freed also if going through it fails', async () => {
  const freed = vi.spyOn(Tree.prototype, 'delete')
  try {
    const found = await outlineText(REQUEST)
    expect(found?.map(({ name }) => name)).toEqual(['first', 'second'])
    expect(freed).toHaveBeenCalledTimes(1)
    const failing = Object.assign(['function_declaration'], {
      [Symbol.iterator]: (): never => {
        throw new Error('broken')
      },
    })
    expect(await outlineText({ ...REQUEST, opens: failing })).toBeNull()
    expect(freed).toHaveBeenCalledTimes(2)
  } finally {
    freed.mockRestore()
  }
})
