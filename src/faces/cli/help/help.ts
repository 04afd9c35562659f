import type { CommandSpec, OptionSpec } from '../arguments.ts'
import { COMMANDS, COMMON_OPTIONS, MODEL_OPTIONS } from '../command-table.ts'

/** What the program is, in one line. */
export const PURPOSE = 'runs tool calls so that every edit lands whole, can be undone, and can be explained'

/** What the exit codes mean. */
export const EXIT_CODES: Readonly<Record<'call' | 'run' | 'other', string>> = {
  call: '0 done, 1 failed, 2 bad usage, 3 denied, 4 waiting for approval, 130 cancelled',
  run: '0 the turn ended, 1 an error, a limit or an unmet requirement, 2 bad usage, 4 waiting for approval or for results, 130 cancelled',
  other: '0 done, 1 not done, 2 bad usage',
}

/** The text of `tongs --help`; `bin/help.txt` is a copy, so that printing it is fast. */
export function renderHelp(): string {
  const commands = COMMANDS.map(({ name, words, says }) => row(`${name} ${words}`.trimEnd(), says))
  return [
    `tongs: ${PURPOSE}`,
    '',
    'usage: tongs COMMAND [WORDS] [OPTIONS]',
    '',
    'commands',
    ...commands,
    '',
    'options',
    ...COMMON_OPTIONS.map(rowOf),
    row('--help, --version', 'show this help, or that of a command; show the version'),
    '',
    'options of run and app',
    ...MODEL_OPTIONS.map(rowOf),
    '',
    `exit codes of call and batch: ${EXIT_CODES.call}`,
    '',
  ].join('\n')
}

/** The texts of `tongs COMMAND --help` by command; `bin/help-commands.json` is a copy. */
export function renderCommandHelp(): string {
  const texts = COMMANDS.map((command) => [command.name, helpOf(command)] as const)
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`
}

/** The exit codes of a command, in words. */
export function exitCodesOf(command: string): string {
  if (command === 'call' || command === 'batch' || command === 'approve') return EXIT_CODES.call
  return command === 'run' ? EXIT_CODES.run : EXIT_CODES.other
}

function helpOf({ name, words, says, options = [] }: CommandSpec): string {
  return [
    `tongs ${name}: ${says}`,
    '',
    `usage: ${usageOf({ name, words })}`,
    '',
    ...(options.length === 0 ? [] : ['options of this command', ...options.map(rowOf), '']),
    'options of every command',
    ...COMMON_OPTIONS.map(rowOf),
    '',
    `exit codes: ${exitCodesOf(name)}`,
    '',
  ].join('\n')
}

/** How a command is typed. */
export function usageOf({ name, words }: Pick<CommandSpec, 'name' | 'words'>): string {
  return `tongs ${name} ${words}`.trimEnd()
}

function rowOf({ name, value, says }: OptionSpec): string {
  return row(value === null ? name : `${name} ${value}`, says)
}

function row(left: string, right: string): string {
  return left.length > 24 ? `  ${left}\n${' '.repeat(28)}${right}` : `  ${left.padEnd(26)}${right}`
}
