import { describe, expect, it } from 'vitest'
import { COMMANDS, COMMON_OPTIONS } from '../../../../src/faces/cli/command-table.ts'
import { findCandidates } from '../../../../src/faces/cli/complete/find-candidates.ts'
import type { NameKind } from '../../../../src/faces/cli/complete/find-candidates.ts'

/** What is offered for a line whose last word is the one at the cursor, and what was looked up for it. */
async function complete(...line: readonly string[]) {
  const asked: [NameKind, readonly string[]][] = []
  const found = await findCandidates(line, async (kind, options) => {
    asked.push([kind, options])
    return [`${kind}-1`, `${kind}-2`].map((value) => ({ value, says: '' }))
  })
  return { asked, found, values: found.kind === 'words' ? found.rows.map(({ value }) => value) : found.kind }
}

describe('what may stand at the cursor', () => {
  it('is a command at first, by the table of the help', async () => {
    expect((await complete('')).values).toEqual(COMMANDS.map(({ name }) => name))
    expect((await complete('re')).values).toEqual(['recover', 'redo', 'repair'])
    expect((await complete('--session', 's', 're')).values).toEqual(['recover', 'redo', 'repair'])
  })

  it('is an option of the command or of every command, each once unless it may be repeated', async () => {
    const common = COMMON_OPTIONS.map(({ name }) => name)
    expect((await complete('redo', '-')).values).toEqual([...common, '--help'])
    expect((await complete('undo', '--la')).values).toEqual(['--last'])
    expect((await complete('undo', '--last', '2', '--la')).values).toEqual([])
    expect((await complete('log', '--set', 'a=1', '--se')).values).toEqual(['--session', '--set'])
  })

  it('is a value of the option before it, or after its equals sign', async () => {
    expect((await complete('log', '--preset', '')).values).toEqual(['plan', 'ask', 'edits', 'auto'])
    expect((await complete('log', '--preset=a')).values).toEqual(['--preset=ask', '--preset=auto'])
    expect((await complete('log', '--root', '')).values).toBe('folders')
    expect((await complete('log', '--config=')).values).toBe('files')
    expect((await complete('log', '--last', '')).values).toEqual([])
    expect((await complete('undo', '--except', 'a', 'b', '')).values).toBe('files')
  })

  it('is a name that is looked up where the line says', async () => {
    const { asked, values } = await complete('why', '--root', '/r', '--set=a=b', '')
    expect(asked).toEqual([['call', ['--root', '/r', '--set', 'a=b']]])
    expect(values).toEqual(['call-1', 'call-2'])
    expect((await complete('approve', 'approval-1', '')).values).toEqual(['approval-2'])
    expect((await complete('sessions', 'fork', '')).values).toEqual(['session-1', 'session-2'])
    expect((await complete('call', 'x', '')).values).toEqual([])
    expect((await complete('--session', '')).values).toEqual(['session-1', 'session-2'])
  })

  it('is a verb, and then what belongs to it', async () => {
    expect((await complete('config', '')).values).toEqual(['explain', 'preset', 'schema'])
    expect((await complete('config', 'explain', '')).values).toEqual(['key-1', 'key-2'])
    expect((await complete('mcp', 'lo')).values).toEqual(['login', 'logout'])
  })

  it('is nothing where the line is wrong, and no option after two hyphens', async () => {
    for (const line of [
      ['nosuch', ''],
      ['mcp', 'nosuch', ''],
      ['redo', '--nosuch='],
    ])
      expect((await complete(...line)).values, line.join(' ')).toEqual(
        line[0] === 'nosuch' ? COMMANDS.map(({ name }) => name) : [],
      )
    expect((await complete('approve', '--', '-')).values).toEqual([])
  })
})
