import { boolean, choice, integer } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

/** What the terminal app looks like. */
export const uiKeys = {
  'ui.reduced_motion': key(boolean('true'), {
    default: false,
    description: 'Whether nothing on the screen of the app moves by itself.',
  }),
  'ui.characters': key(choice(['auto', 'unicode', 'ascii']), {
    default: 'auto',
    description:
      'Which characters the app draws with: what the locale and the terminal can show, everything, or ASCII alone.',
  }),
  'ui.mouse': key(boolean('false'), {
    default: true,
    description: 'Whether the app reacts to the mouse: the wheel scrolls, a click on a call opens it.',
  }),
  'ui.output_lines': key(integer({ min: 1, max: 1_000, tighter: 'lower' }), {
    default: 50,
    ids: ['FR-TUI-03'],
    description: 'How many of the last lines of a running command the app shows.',
  }),
  'ui.history_entries': key(integer({ min: 1, max: 1_000_000, tighter: 'lower' }), {
    default: 500,
    unit: 'entries',
    description:
      "How far back in a session's log the app looks when it opens it, and how much of it stays on its screen.",
  }),
} as const
