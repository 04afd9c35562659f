import { describe, expect, it } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'
import { readTree } from '../../harness/faults/world/tree.ts'
import { searchTools, shippedTools } from './shipped-tools.ts'

/** A call of each tool that says it is idempotent. */
const CALLS: Readonly<Record<string, unknown>> = {
  glob: { patterns: ['**/*.txt'] },
  list_directory: { path: '.', recursive: true },
  list_files: {},
  outline: { path: 'd.md' },
  read_file: { path: 'a.txt' },
  search: { query: 'two' },
  search_tools: { query: 'search a note', limit: 2 },
}

const FILES = { 'a.txt': 'one\ntwo\n', 'b/c.txt': 'two\n', 'd.md': '# Title\n' }

/** Runs a call once and again; what is there and what is answered after each. */
async function runTwice(name: string, args: unknown) {
  const b = bench(FILES)
  const runtime = await b.open({ tools: [searchTools], config: { tools: { approval: { mode: 'auto' } } } })
  await runtime.run([{ id: '0', name: 'read_file', args: { path: 'a.txt' } }])
  const looks = []
  for (const id of ['1', '2']) {
    const [result] = await runtime.run([{ id, name, args }])
    looks.push({ output: outputOf(result), tree: readTree(b.root), changed: runtime.stats().files_changed })
  }
  return { first: looks[0], second: looks[1] }
}

describe('a tool that says it is idempotent', () => {
  const idempotent = shippedTools.filter((tool) => tool.idempotent).map(({ name }) => name)

  it('has a call in the table above, so that its word can be checked', () => {
    expect(Object.keys(CALLS).toSorted(), 'CALLS has to have a call of each').toEqual(idempotent.toSorted())
  })

  it.each(Object.entries(CALLS))(
    'R-CONTRACT-6: %s answers the same and leaves the same when it runs again',
    async (name, args) => {
      const { first, second } = await runTwice(name, args)
      expect(second).toEqual(first)
    },
  )

  it('R-CONTRACT-6: a tool that is not would be found out', async () => {
    const { first, second } = await runTwice('write_file', { path: 'a.txt', content: 'more', append: true })
    expect(second?.tree).not.toEqual(first?.tree)
  })
})
