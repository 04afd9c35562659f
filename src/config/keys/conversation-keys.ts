import { list } from '../kinds/collection-kinds.ts'
import { integer, number } from '../kinds/scalar-kinds.ts'
import { prices } from '../kinds/table-kinds.ts'
import { key } from './key-spec.ts'

/** How a model is spoken to, and what a conversation may fill. */
export const conversationKeys = {
  'model.context_tokens': key(
    integer({ min: 0, max: 100_000_000, tighter: 'lower', isZeroUnlimited: true }),
    {
      default: 0,
      unit: 'tokens',
      ids: ['FR-REG-04b'],
      description: 'How much the model can look at; 0 is what is known of it, which may be nothing.',
    },
  ),
  'model.prices': key(prices(), {
    default: [],
    description:
      'What models cost, in any money, for a million tokens each; the first row whose name fits counts, and "*" at its end fits anything.',
  }),
  'model.retry.max': key(integer({ min: 0, max: 20, tighter: 'lower' }), {
    default: 4,
    unit: 'times',
    description: 'How often a model is asked again after a rate limit, an overload or a broken answer.',
  }),
  'model.retry.first_seconds': key(number({ min: 0, max: 600, tighter: 'never' }), {
    default: 1,
    unit: 'seconds',
    description: 'The wait before the first repetition; it doubles each time, and half of it is chance.',
  }),
  'model.retry.longest_seconds': key(number({ min: 0, max: 3_600, tighter: 'lower' }), {
    default: 60,
    unit: 'seconds',
    description: 'The longest such wait, also where the provider asks for a longer one.',
  }),
  'model.idle_seconds': key(number({ min: 0.001, max: 86_400, tighter: 'lower' }), {
    default: 240,
    unit: 'seconds',
    description:
      'How long an answer may be silent before it counts as broken; models that think without showing it are silent for minutes.',
  }),
  'conversation.response_reserve_tokens': key(integer({ min: 0, max: 10_000_000, tighter: 'higher' }), {
    default: 4096,
    unit: 'tokens',
    ids: ['FR-REG-04b'],
    description: "What is kept free in the model's context for its answer.",
  }),
  'conversation.safety_margin_tokens': key(integer({ min: 0, max: 10_000_000, tighter: 'higher' }), {
    default: 1024,
    unit: 'tokens',
    ids: ['FR-REG-04b'],
    description: "What is kept free in the model's context because the rest is an estimate.",
  }),
  'conversation.shrink_at_percent': key(integer({ min: 1, max: 100, tighter: 'never' }), {
    default: 75,
    unit: 'percent',
    description:
      "How full the model's context gets before older results are shortened, and older messages summarized where that is not enough.",
  }),
  'conversation.keep_percent': key(integer({ min: 0, max: 100, tighter: 'never' }), {
    default: 25,
    unit: 'percent',
    description: "How much of the model's context the newest messages may take up that are kept whole.",
  }),
  'conversation.draft_seconds': key(number({ min: 0, max: 60, tighter: 'never' }), {
    default: 0.5,
    unit: 'seconds',
    ids: ['FR-RES-04a'],
    description: 'How much of a message that is still coming in may be lost if the process ends.',
  }),
  'conversation.notes': key(list({ tighter: 'subset' }), {
    default: ['AGENTS.md'],
    description: 'Files at the root whose text the model is given as information, not as permission.',
  }),
  'conversation.notes_max_bytes': key(integer({ min: 0, max: 16 * 1024 ** 2, tighter: 'lower' }), {
    default: 32_768,
    unit: 'bytes',
    description: 'How much of such a file the model is given.',
  }),
} as const
