import { describe, expect, it } from 'vitest'
import type { Capability } from '../../../src/core/capability.ts'
import type { Tool } from '../../../src/core/tool.ts'
import { withPrerequisites } from '../../../src/policy/capabilities/capability-tree.ts'
import { builtInTools } from '../../../src/tools/built-in.ts'
import { bench } from '../../bench-folder.ts'
import { lp1 } from '../edits/edit-bench.ts'
import { servePages } from '../web/web-server.ts'
import { searchTools, shippedTools } from './shipped-tools.ts'

const FILES = { 'a.txt': 'one\ntwo\n', 'd/b.txt': 'three\n', 'd/c.ts': 'function f() {}\n' }
const SEEN = ['read_file', 'd/b.txt', 'a.txt'] as const

/** Stands for a server on this machine that each test starts for itself. */
const SERVER = 'http://127.0.0.1'

/** For each tool, arguments of calls that between them use all it declared. */
const USES: Readonly<Record<string, readonly object[]>> = {
  read_file: [{ path: 'a.txt' }],
  list_directory: [{ path: '.' }],
  list_files: [{}],
  glob: [{ patterns: ['**'] }],
  search: [{ query: 'one' }],
  search_tools: [{ query: 'note' }, { query: 'nothing like it', limit: 1 }],
  replace: [{ old: 'one', new: 'ONE', paths: ['**'] }],
  outline: [{ path: 'd/c.ts' }],
  write_file: [{ path: 'n.txt', content: 'x' }],
  edit_file: [{ path: 'a.txt', old: 'one', new: 'ONE' }],
  edit_region: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: 'ONE' }],
  multi_edit: [{ edits: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: 'ONE' }] }],
  apply_patch: [{ patch: lp1('F a.txt', 'R', 'one', '.', 'ONE', '.') }],
  delete_path: [{ path: 'd' }],
  move_path: [{ from: 'd', to: 'e' }],
  todo_write: [
    { action: 'create', title: 't' },
    { action: 'list' },
    { action: 'export', export_path: 'T.md' },
  ],
  task: [{ action: 'create', title: 't' }, { action: 'list' }, { action: 'export', export_path: 'T.md' }],
  web_fetch: [{ url: `${SERVER}/page` }, { url: `${SERVER}/file` }],
}

/** What a conversation uses, it uses through calls of other tools. */
const measurable = shippedTools.filter(({ effect, converses }) => effect !== 'spawn' && !converses)

/** What became of the calls, of a tool with nothing changed but its name and what it declares. */
async function outcomesOf(tool: Tool, capabilities: readonly Capability[]): Promise<readonly string[]> {
  const name = `my_${tool.name}`
  const runtime = await bench(FILES).open({
    tools: [{ ...tool, name, capabilities }],
    config: {
      'tools.approval.mode': 'auto',
      'tools.approval.allowlist': [name],
      'tools.web_fetch.private_hosts': ['127.0.0.1'],
    },
    approve: (requests) => requests.map(() => 'once' as const),
  })
  const seen = SEEN.slice(1).map((path, index) => ({ id: `s${index}`, name: SEEN[0], args: { path } }))
  await runtime.run(seen)
  const { origin } = await servePages({
    '/page': '<p>one',
    '/file': { headers: { 'content-type': 'image/png' }, body: 'png' },
  })
  const outcomes: string[] = []
  for (const [index, given] of (USES[tool.name] ?? []).entries()) {
    const args: unknown = JSON.parse(JSON.stringify(given).replace(`"${SERVER}/`, `"${origin}/`))
    const [row] = await runtime.run([{ id: `c${index}`, name, args }])
    outcomes.push(row === undefined ? 'none' : row.ok ? 'ok' : `${row.error.code}: ${row.error.message}`)
  }
  return outcomes
}

describe('what built-in tools declare', () => {
  it('R-CHK-TOOL-4: every tool declares its capabilities, with all that those need', () => {
    for (const { name, capabilities } of builtInTools) {
      expect([name, capabilities.length > 0]).toEqual([name, true])
      expect([name, new Set(capabilities)]).toEqual([name, new Set(withPrerequisites(capabilities))])
    }
  })

  it('R-CHK-TOOL-4: what looks at definitions alone declares nothing', () => {
    expect(searchTools).toMatchObject({ effect: 'read', capabilities: [] })
  })

  it('the calls below know every tool that starts no process and holds no conversation', () => {
    expect(Object.keys(USES).toSorted(), 'USES has to have a call of each').toEqual(
      measurable.map(({ name }) => name).toSorted(),
    )
  })

  it.for(measurable)('R-CONTRACT-4: $name uses what it declared and nothing else', async (tool) => {
    const all = await outcomesOf(tool, tool.capabilities)
    expect(all).toEqual(all.map(() => 'ok'))
  })

  it.for(
    measurable.flatMap((tool) =>
      tool.capabilities.map((capability) => [tool.name, capability, tool] as const),
    ),
  )('R-CHK-TOOL-4: %s declares %s because it cannot do without', async ([, capability, tool]) => {
    const fewer = tool.capabilities.filter((one) => !withPrerequisites([one]).includes(capability))
    expect((await outcomesOf(tool, fewer)).join()).toContain('capability_denied')
  })

  it('R-CHK-TOOL-4: what starts processes declares what a process can do to the workspace', () => {
    const starters = builtInTools.filter(({ effect }) => effect === 'spawn')
    expect(starters.length).toBeGreaterThan(0)
    for (const { capabilities } of starters)
      expect(capabilities).toEqual([
        'filesystem.read',
        'filesystem.write',
        'filesystem.delete',
        'filesystem.execute',
        'process.spawn',
      ])
  })
})
