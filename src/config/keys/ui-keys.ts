import { commandLine } from '../kinds/collection-kinds.ts'
import { boolean, choice, integer } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

/** What the terminal app looks like, questions included, so no project decides it. */
export const uiKeys = {
  'ui.reduced_motion': key(boolean('true'), {
    fromProject: 'nothing',
    default: false,
    description: 'Whether the app avoids animation.',
  }),
  'ui.characters': key(choice(['auto', 'unicode', 'ascii']), {
    fromProject: 'nothing',
    default: 'auto',
    description:
      'Which characters the app draws with: those the locale and the terminal support, all of Unicode, or only ASCII.',
  }),
  'ui.screen': key(choice(['inline', 'full']), {
    fromProject: 'nothing',
    default: 'inline',
    description:
      "Where the app draws: inline, below what the terminal shows, so that scrolling and selecting are the terminal's; or on a full screen of its own.",
  }),
  'ui.mouse': key(boolean('false'), {
    fromProject: 'nothing',
    default: true,
    description:
      'Whether the app reacts to the mouse on its own screen: the wheel scrolls, a click on a call opens it.',
  }),
  'ui.output_lines': key(integer({ min: 1, max: 1_000, tighter: 'lower' }), {
    fromProject: 'nothing',
    default: 50,
    ids: ['FR-TUI-03'],
    description: 'How many of the last lines of a running command the app shows.',
  }),
  'ui.history_entries': key(integer({ min: 1, max: 1_000_000, tighter: 'lower' }), {
    fromProject: 'nothing',
    default: 500,
    unit: 'entries',
    description: 'How many log entries the app loads when it opens a session and keeps on its screen.',
  }),
  'notify.terminal': key(choice(['auto', 'bell', 'off']), {
    fromProject: 'nothing',
    default: 'auto',
    description:
      'How the app tells the terminal that a turn has ended or that you are asked: with a message (OSC 9) and the bell, with the bell alone, or not at all.',
  }),
  'notify.command': key(commandLine(), {
    fromProject: 'nothing',
    default: [],
    description:
      'A command that is started then as well, such as "notify-send Tongs"; a sentence about what happened is its last word. It is started without a shell, in your home folder.',
  }),
  'notify.after_seconds': key(integer({ min: 0, max: 86_400, tighter: 'never' }), {
    fromProject: 'nothing',
    default: 10,
    unit: 'seconds',
    description: 'How long after your last key press the app takes you to be away and notifies you.',
  }),
} as const
