import { capabilities } from '../kinds/capabilities-kind.ts'
import { integer, number } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

/** What tools may access, and which resources must be free before one starts. */
export const capabilityKeys = {
  'tools.capabilities.granted': key(capabilities(), {
    default: ['filesystem.*', 'process.*', 'network.connect', 'system.*', 'state.*'],
    strict: ['filesystem.*', 'process.*', 'system.*', 'state.*'],
    ids: ['RULE 2'],
    fromProject: 'tighter',
    description:
      'What tools may have if they declare it; having it does not replace approval, which calls with effects still need.',
  }),
  'tools.resources.min_free_bytes': key(integer({ min: 0, max: 1024 ** 5, tighter: 'higher' }), {
    default: 1_048_576,
    unit: 'bytes',
    ids: ['RULE 3'],
    description:
      'How much space must be free on the disks of the workspace and the state folder before a call that writes there starts.',
  }),
  'tools.resources.min_free_descriptors': key(integer({ min: 0, max: 1_000_000, tighter: 'higher' }), {
    default: 16,
    unit: 'entries',
    ids: ['RULE 3'],
    description: 'How many more files the process must be able to open before a call starts.',
  }),
  'tools.resources.look_seconds': key(number({ min: 0, max: 3_600, tighter: 'lower' }), {
    default: 1,
    unit: 'seconds',
    description:
      'How long a check of disks and open files stays valid; a shortage is checked again every time.',
  }),
} as const
