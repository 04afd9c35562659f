import { nearest } from '../../../core/text/nearest.ts'
import { showPath } from '../../../core/text/display/show-path.ts'
import type { OwnCommands } from '../../../runtime/commands/own-command.ts'
import type { AppCommand, AppPowers } from './app-command.ts'
import { conversationCommands } from './conversation-commands.ts'
import { grantsCommand } from './grants-command.ts'
import { showCommands } from './show-commands.ts'
import { sessionCommands } from './session-commands.ts'
import { undoCommands } from './undo-commands.ts'

const help: AppCommand = {
  name: 'help',
  words: '',
  says: 'show this help',
  run: (_rest, app) => app.session().say('plain', helpText(app.session().ownCommands())),
}

/** All app commands, in help order. */
export const APP_COMMANDS: readonly AppCommand[] = [
  help,
  ...undoCommands,
  ...showCommands,
  grantsCommand,
  ...conversationCommands,
  ...sessionCommands,
]

function helpText(own: OwnCommands): string {
  const commands = APP_COMMANDS.map(({ name, words, says }) => `/${`${name} ${words}`.trimEnd()}\t${says}`)
  const keys = KEYS.map(([key, says]) => `${key}\t${says}`)
  return [
    'Type a call, such as read_file path=README.md or read_file {"path":"README.md"}; @ completes a path, ! runs a command of your own.',
    ...commands,
    ...ownRows(own),
    '',
    ...keys,
  ].join('\n')
}

/** The commands that are files, and the files that cannot be used. */
function ownRows({ usable, unusable }: OwnCommands): readonly string[] {
  const rows = [
    ...usable.map(({ name, argumentHint, description, from }) => {
      const whose = from === 'project' ? ' (of this project)' : ''
      return `/${`${name} ${argumentHint}`.trimEnd()}\t${description}${whose}`
    }),
    ...unusable.map(({ path, why }) => `${showPath(path)}\tis not a command: ${why}`),
  ]
  return rows.length === 0 ? [] : ['', ...rows]
}

/** Runs a slash command. */
export async function runCommand(line: string, app: AppPowers): Promise<void> {
  const [, name = '', rest = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? []
  const command = APP_COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return command.run(rest, app)
  const meant = nearest(
    name,
    [...APP_COMMANDS, ...app.session().ownCommands().usable].map((one) => one.name),
  )
  const hint = meant === null ? hintFor(name) : `Did you mean /${meant}?`
  app.session().say('trouble', `There is no command /${name}. ${hint}`)
}

/** A path also starts with a slash, and may be meant for the model. */
function hintFor(name: string): string {
  const list = '/help lists the commands.'
  return name.includes('/') ? `${list} To say a path to the model, put a word before it.` : list
}

/** Whether a line begins with a command of the app, which no file replaces. */
export function isAppCommand(line: string): boolean {
  return APP_COMMANDS.some(({ name }) => /^\/(\S*)/.exec(line)?.[1] === name)
}

/** Whether a line is an incomplete prefix of a command, of the app or of `own`. */
export function isCommandBegun(line: string, own: readonly { readonly name: string }[] = []): boolean {
  const names = [...APP_COMMANDS, ...own].map(({ name }) => `/${name}`)
  return line.startsWith('/') && !names.includes(line) && names.some((name) => name.startsWith(line))
}

/** The keys of the app, as shown in the help and the documentation. */
export const KEYS: readonly (readonly [keys: string, says: string])[] = [
  ['Enter', 'send'],
  ['Ctrl-J, Alt-Enter', 'start a new line; so does \\ before Enter'],
  [
    'Alt-Enter, Tab while something runs',
    'keep what is typed until it has ended; Enter tells the model at once',
  ],
  ['Up, Down', 'go through the history'],
  ['Ctrl-R', 'search what was typed before, in this session and others of the folder'],
  [
    'Tab',
    'complete; with nothing typed, open the selected or last call on the full screen: all of its result, its JSON, closed',
  ],
  ['Ctrl-P, Ctrl-N', 'select the previous or next call; a click selects and opens one'],
  ['Ctrl-O', 'open its file in $EDITOR, at its line; with something typed, edit that there'],
  ['Ctrl-G', 'explain it, as /why does'],
  [
    'PgUp, PgDn, the wheel',
    'scroll the conversation; PgUp changes to a full screen, where the wheel works too',
  ],
  ['Ctrl-End', 'go to the end, and back from the full screen'],
  ['Shift-Up, Shift-Down', 'scroll the output of a running command'],
  ['Shift-Tab', 'switch to the next preset'],
  ['Ctrl-Z', 'suspend to the shell; fg resumes the app'],
  ['Esc', 'go back from the full screen, else cancel what is running; it never leaves the app'],
  ['Ctrl-C', 'cancel what is running; twice within two seconds leaves the app'],
  ['Ctrl-D', 'leave, if nothing is typed'],
]
