import type { OptionSpec } from './arguments.ts'
import { COMMANDS, COMMON_OPTIONS, MODEL_OPTIONS } from './command-table.ts'

/** The text of `tongs --help`; `bin/help.txt` is a copy, so that printing it is fast. */
export function renderHelp(): string {
  const commands = COMMANDS.map(({ name, words, says }) => row(`${name} ${words}`.trimEnd(), says))
  return [
    'tongs: runs tool calls so that every edit lands whole, can be undone, and can be explained',
    '',
    'usage: tongs COMMAND [WORDS] [OPTIONS]',
    '',
    'commands',
    ...commands,
    '',
    'options',
    ...COMMON_OPTIONS.map(rowOf),
    row('--help, --version', 'show this help; show the version'),
    '',
    'options of run and app',
    ...MODEL_OPTIONS.map(rowOf),
    '',
    'exit codes of call and batch: 0 done, 1 failed, 2 bad usage, 3 denied, 4 waiting for approval, 130 cancelled',
    '',
  ].join('\n')
}

function rowOf({ name, value, says }: OptionSpec): string {
  return row(value === null ? name : `${name} ${value}`, says)
}

function row(left: string, right: string): string {
  return left.length > 24 ? `  ${left}\n${' '.repeat(28)}${right}` : `  ${left.padEnd(26)}${right}`
}
