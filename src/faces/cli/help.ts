import { COMMANDS, COMMON_OPTIONS } from './command-table.ts'

/** The text of `tongs --help`; `bin/help.txt` holds a copy so that asking for help costs nothing. */
export function renderHelp(): string {
  const commands = COMMANDS.map(({ name, words, says }) => row(`${name} ${words}`.trimEnd(), says))
  const options = COMMON_OPTIONS.map(({ name, value, says }) =>
    row(value === null ? name : `${name} ${value}`, says),
  )
  return [
    'tongs: runs tool calls so that every edit lands whole, can be undone, and can be explained',
    '',
    'usage: tongs COMMAND [WORDS] [OPTIONS]',
    '',
    'commands',
    ...commands,
    '',
    'options',
    ...options,
    row('--help, --version', 'what you are reading; the version'),
    '',
    'exit codes of call and batch: 0 done, 1 failed, 3 denied, 4 an approval waits, 130 cancelled; 2 is bad usage',
    '',
  ].join('\n')
}

function row(left: string, right: string): string {
  return left.length > 24 ? `  ${left}\n${' '.repeat(28)}${right}` : `  ${left.padEnd(26)}${right}`
}
