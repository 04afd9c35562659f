import type { OptionSpec } from '../arguments.ts'
import { COMMANDS, COMMON_OPTIONS, MODEL_OPTIONS } from '../command-table.ts'
import { EXIT_CODES, PURPOSE, usageOf } from './help.ts'

/** What the environment can say. */
const VARIABLES: readonly (readonly [name: string, says: string])[] = [
  ['TONGS_STATE_DIR', 'where the log and everything else that is kept lies'],
  ['TONGS_CONFIG', "the user's configuration file, instead of the usual one"],
  ['TONGS__KEY__PART', 'one setting, such as TONGS__TOOLS__MODE=deny; --set overrides it'],
  ['TONGS_MCP_TOKEN', 'the token that clients of tongs mcp --http have to send'],
  ['NO_COLOR', 'if set, nothing is coloured'],
  ['EDITOR', 'the program that opens long prompts'],
]

/** The files that people may want to look for. */
const FILES: readonly (readonly [path: string, says: string])[] = [
  ['~/.config/tongs/config.toml', 'settings of the user'],
  ['.tongs.toml', 'settings of a project: they only tighten, unless it is trusted'],
  ['/etc/tongs/managed.toml', 'settings of the machine, which only tighten'],
  ['~/.local/state/tongs', 'the log, stored contents, grants, keys'],
]

/** The page of `man tongs` for a version, from the tables that the help and the parser use. */
export function renderManual(version: string): string {
  return [
    `.TH TONGS 1 "" "tongs ${version}" "User Commands"`,
    '.SH NAME',
    `tongs \\- ${text(PURPOSE)}`,
    '.SH SYNOPSIS',
    '.B tongs',
    '.RI [ COMMAND ]',
    '.RI [ WORDS ]',
    '.RI [ OPTIONS ]',
    '.SH DESCRIPTION',
    'A model asks for a tool; Tongs validates the call, judges it, asks a person where that is needed, runs it, commits what it changed, records it and answers.',
    'Without a command it opens the terminal app; in a pipe it runs a short demo.',
    '.SH COMMANDS',
    ...COMMANDS.flatMap((command) => [
      '.TP',
      `.B ${text(usageOf(command))}`,
      `${text(sentence(command.says))}`,
      ...ownOptions('options' in command ? command.options : []),
    ]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...COMMON_OPTIONS.flatMap(optionRow),
    '.SH OPTIONS OF RUN AND APP',
    ...MODEL_OPTIONS.flatMap(optionRow),
    '.SH EXIT STATUS',
    ...[
      ['call, batch', EXIT_CODES.call],
      ['run', EXIT_CODES.run],
      ['other commands', EXIT_CODES.other],
    ].flatMap(([name = '', codes = '']) => ['.TP', `.B ${text(name)}`, text(sentence(codes))]),
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([name, says]) => ['.TP', `.B ${text(name)}`, text(sentence(says))]),
    '.SH FILES',
    ...FILES.flatMap(([path, says]) => ['.TP', `.I ${text(path)}`, text(sentence(says))]),
    '',
  ].join('\n')
}

/** The options of one command, indented below it; those of models have a section of their own. */
function ownOptions(options: readonly OptionSpec[]): readonly string[] {
  const own = options.filter((option) => !MODEL_OPTIONS.includes(option))
  return own.length === 0 ? [] : ['.RS', ...own.flatMap(optionRow), '.RE']
}

function optionRow({ name, value, says }: OptionSpec): readonly string[] {
  const head = value === null ? `.B ${text(name)}` : `.BI "${text(name)} " "${text(value)}"`
  return ['.TP', head, text(sentence(says))]
}

/** A sentence; names such as openai/… are no words to begin one with. */
function sentence(says: string): string {
  const start = /^[a-z]+[ ,;:]/.test(says) ? `${says.charAt(0).toUpperCase()}${says.slice(1)}` : says
  return start.endsWith('…') ? start : `${start}.`
}

/** Text in which nothing means anything to roff: hyphens stay hyphens, and no line begins as a request. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
  const ascii = escaped.replaceAll('…', '...').replaceAll('’', "'")
  return /^[.']/.test(ascii) ? `\\&${ascii}` : ascii
}
