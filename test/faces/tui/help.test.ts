import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { APP_COMMANDS, KEYS } from '../../../src/faces/tui/commands/command-list.ts'
import { TOP } from '../../../scripts/run-tool.ts'

it('the documentation has every key and every command as /help has them', () => {
  const rows = readFileSync(join(TOP, 'docs', 'terminal.md'), 'utf8').split('\n')
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const keys = KEYS.map(([key, says]) => `| ${key} | ${cell(says)} |`)
  const commands = APP_COMMANDS.map(
    ({ name, words, says }) => `| \`${cell(`/${name} ${words}`.trimEnd())}\` | ${cell(says)} |`,
  )
  expect(rows).toEqual(expect.arrayContaining([...keys, ...commands]))
  expect(rows.filter((row) => row.startsWith('| `/'))).toEqual(commands)
})
