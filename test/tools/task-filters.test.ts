import { describe, expect, it } from 'vitest'
import { outputOf } from '../bench-folder.ts'
import { editBench } from './edits/edit-bench.ts'

const FILES = { 'src/a.ts': 'x\n', 'src/b.ts': 'x\n' }

/** How each tool says that an item points into a file. */
const PLACE: Readonly<Record<string, (path: string) => object>> = {
  task: (path) => ({ links: [{ path }, { path: 'src/shared.ts' }] }),
  todo_write: (path) => ({ location: { path, line: 1 } }),
}

/** Four items: every pair of a label and a file, and one with neither. */
async function fill(tool: string) {
  const b = await editBench(FILES)
  const pointTo = (path: string): object => PLACE[tool]?.(path) ?? {}
  const items = [
    { title: 'bug in a', labels: ['bug', 'soon'], ...pointTo('src/a.ts') },
    { title: 'bug in b', labels: ['bug'], ...pointTo('src/b.ts') },
    { title: 'chore in a', labels: ['chore'], ...pointTo('src/a.ts') },
    { title: 'anywhere' },
  ]
  for (const item of items) outputOf(await b.run(tool, { action: 'create', ...item }))
  return async (filter?: object): Promise<readonly string[]> => {
    const { tasks } = outputOf(await b.run(tool, { action: 'list', ...(filter && { filter }) }))
    return (tasks as readonly { readonly title: string }[]).map(({ title }) => title)
  }
}

describe.each(['task', 'todo_write'])('the filter of %s', (tool) => {
  it(`F-TOOL-${tool}: by a label alone lists what carries exactly that label`, async () => {
    const list = await fill(tool)
    expect(await list({ label: 'bug' })).toEqual(['bug in a', 'bug in b'])
    expect(await list({ label: 'soon' })).toEqual(['bug in a'])
    expect(await list({ label: 'bu' })).toEqual([])
  })

  it(`F-TOOL-${tool}: by a path alone lists what points into exactly that file`, async () => {
    const list = await fill(tool)
    expect(await list({ path: 'src/a.ts' })).toEqual(['bug in a', 'chore in a'])
    expect(await list({ path: 'src/b.ts' })).toEqual(['bug in b'])
    expect(await list({ path: 'src' })).toEqual([])
  })

  it('by both lists what both let through, and without either everything is listed', async () => {
    const list = await fill(tool)
    expect(await list({ label: 'bug', path: 'src/a.ts' })).toEqual(['bug in a'])
    expect(await list({})).toHaveLength(4)
    expect(await list()).toHaveLength(4)
  })
})
