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
  'ui.mouse': key(boolean('false'), {
    fromProject: 'nothing',
    default: true,
    description: 'Whether the app reacts to the mouse: the wheel scrolls, a click on a call opens it.',
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
} as const
