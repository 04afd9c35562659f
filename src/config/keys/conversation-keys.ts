import { commandLine, list, text } from '../kinds/collection-kinds.ts'
import { choice, integer, number } from '../kinds/scalar-kinds.ts'
import { prices } from '../kinds/table-kinds.ts'
import { key } from './key-spec.ts'

/** How models are called, and how much of the context a conversation may fill. */
export const conversationKeys = {
  'model.name': key(text({ isOptional: true }), {
    default: '',
    fromProject: 'nothing',
    description:
      'The model to use unless the command line names another, such as "anthropic/NAME"; tongs setup writes it.',
  }),
  'model.base_url': key(text({ isOptional: true }), {
    default: '',
    fromProject: 'nothing',
    description: 'The address of its server, if that is not the own one of its provider.',
  }),
  'model.key_command': key(commandLine(), {
    default: [],
    fromProject: 'nothing',
    description:
      'A command that prints the key of the provider of model.name as its first line, such as "pass show anthropic"; it is started without a shell, in your home folder.',
  }),
  // A smaller window has no room for what the user said, so the three that decide about it are not for a project to set.
  'model.context_tokens': key(integer({ min: 0, max: 100_000_000, tighter: 'never' }), {
    default: 0,
    unit: 'tokens',
    ids: ['FR-REG-04b'],
    description:
      "The size of the model's context window; 0 uses what is known about the model, which may be nothing.",
  }),
  'model.attachments': key(choice(['all', 'auto', 'pictures', 'none']), {
    default: 'auto',
    fromProject: 'nothing',
    description:
      'What the configured model is shown beside text: what is known about its provider, nothing, pictures, or PDFs too. "auto" shows nothing to a "compatible/…" model.',
  }),
  'model.prices': key(prices(), {
    default: [],
    description:
      'What models cost per million tokens, in any currency; the first row whose name matches applies, and "*" at its end matches anything.',
  }),
  'model.retry.max': key(integer({ min: 0, max: 20, tighter: 'lower' }), {
    default: 4,
    unit: 'times',
    description: 'How often a model request is repeated after a rate limit, an overload or a broken answer.',
  }),
  'model.retry.first_seconds': key(number({ min: 0, max: 600, tighter: 'never' }), {
    default: 1,
    unit: 'seconds',
    description: 'The wait before the first retry; it doubles each time, and half of it is random.',
  }),
  'model.retry.longest_seconds': key(number({ min: 0, max: 3_600, tighter: 'lower' }), {
    default: 60,
    unit: 'seconds',
    description: 'The longest such wait, even if the provider asks for a longer one.',
  }),
  'model.idle_seconds': key(number({ min: 0.001, max: 86_400, tighter: 'lower' }), {
    default: 240,
    unit: 'seconds',
    description:
      'How long a response may be silent before it counts as broken; models that do not show their thinking can be silent for minutes.',
  }),
  'conversation.response_reserve_tokens': key(integer({ min: 0, max: 10_000_000, tighter: 'never' }), {
    default: 4096,
    unit: 'tokens',
    ids: ['FR-REG-04b'],
    description: "How much of the context window is reserved for the model's response.",
  }),
  'conversation.safety_margin_tokens': key(integer({ min: 0, max: 10_000_000, tighter: 'never' }), {
    default: 1024,
    unit: 'tokens',
    ids: ['FR-REG-04b'],
    description: 'How much of the context window stays free because token counts are estimates.',
  }),
  'conversation.shrink_at_percent': key(integer({ min: 1, max: 100, tighter: 'never' }), {
    default: 75,
    unit: 'percent',
    description:
      'How full the context window gets before older results are shortened, and older messages summarized if that is not enough.',
  }),
  'conversation.keep_percent': key(integer({ min: 0, max: 100, tighter: 'never' }), {
    default: 25,
    unit: 'percent',
    description: 'How much of the context window the newest messages, which are kept whole, may take up.',
  }),
  'conversation.draft_seconds': key(number({ min: 0, max: 60, tighter: 'never' }), {
    default: 0.5,
    unit: 'seconds',
    ids: ['FR-RES-04a'],
    description: 'How much of a message that is still streaming may be lost if the process ends.',
  }),
  'conversation.notes': key(list({ tighter: 'subset' }), {
    default: ['AGENTS.md', 'CLAUDE.md'],
    description:
      'Files of the root and of the folders below it whose text is given to the model as information; they grant nothing.',
  }),
  'conversation.notes_max_bytes': key(integer({ min: 0, max: 16 * 1024 ** 2, tighter: 'lower' }), {
    default: 32_768,
    unit: 'bytes',
    description: 'How much of such a file is given to the model.',
  }),
  'conversation.notes_total_bytes': key(integer({ min: 0, max: 64 * 1024 ** 2, tighter: 'lower' }), {
    default: 65_536,
    unit: 'bytes',
    description:
      'How much of all these files together is given to the model: at the beginning, and again while it works in folders with files of their own.',
  }),
  'attachments.max_bytes': key(integer({ min: 1, max: 1024 ** 3, tighter: 'lower' }), {
    default: 3_750_000,
    unit: 'bytes',
    description:
      'The largest picture or PDF that a model is shown; providers refuse larger ones, some of them the whole request.',
  }),
  'attachments.max_side_pixels': key(integer({ min: 1, max: 65_535, tighter: 'lower' }), {
    default: 8_000,
    unit: 'pixels',
    description: 'The longest side of a picture that a model is shown.',
  }),
} as const
