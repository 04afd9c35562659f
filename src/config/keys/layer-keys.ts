import { list, text } from '../kinds/collection-kinds.ts'
import { choice, integer } from '../kinds/scalar-kinds.ts'
import { key } from './key-spec.ts'

/** How the changes of commands are kept apart from the workspace until they land. */
export const layerKeys = {
  'tools.shell.layer': key(choice(['off', 'auto', 'require']), {
    default: 'auto',
    description:
      'Whether commands work on a layer over the workspace, so that what they change lands as one edit: `auto` uses an overlay, else a copy, else none; with `require` no command runs without one; `off` lets commands change the workspace directly.',
  }),
  'tools.shell.ask': key(choice(['after', 'before']), {
    default: 'after',
    strict: 'before',
    description:
      'When a person is asked about a command that stays inside sandbox and layer: `before` it runs, or `after`, about what it changed; a command that changed nothing is then not asked about. Without a layer, with access beyond the sandbox, and for `run_command` it is always `before`.',
  }),
  'tools.shell.on_stop': key(choice(['keep', 'discard']), {
    default: 'discard',
    description: 'What happens to the changes of a command that timed out or was cancelled.',
  }),
  'tools.shell.on_denied': key(choice(['leave_out', 'refuse']), {
    default: 'leave_out',
    description:
      'What happens if a command changed a denied name: the rest lands without it, or nothing lands. A change that would be lost that way, or that touches a denied file which exists, is always refused whole.',
  }),
  'tools.shell.passthrough': key(list({ tighter: 'subset', arePaths: true }), {
    default: [],
    description:
      'Folders, relative to the root, that commands write directly instead of on their layer; nothing there is undone, and such commands are asked about before they run.',
  }),
  'tools.shell.throwaway': key(list({ tighter: 'never' }), {
    default: [
      '**/__pycache__',
      '**/.pytest_cache',
      '**/.mypy_cache',
      '**/.ruff_cache',
      '**/node_modules/.cache',
      '**/node_modules/.vite',
      '**/node_modules/.vite-temp',
      '**/node_modules/.vitest',
      '**/.vite',
      '**/.eslintcache',
      '**/.nyc_output',
      '**/.turbo',
      '**/.parcel-cache',
      '**/*.tsbuildinfo',
    ],
    description: 'Names whose changes never land, as globs: caches that only the command itself needs.',
  }),
  'tools.shell.caches': key(choice(['layer', 'read', 'none']), {
    default: 'read',
    description:
      'Whether commands get your caches of npm, pip, cargo and go: to `read`; on a `layer` of their own, which is thrown away afterwards; or `none`. What commands write never gets into them.',
  }),
  'tools.shell.layer_dir': key(text(), {
    default: '',
    description:
      'An absolute folder for layers, on the file system of the root; if empty, the state folder, or else a folder beside the root.',
  }),
  'tools.shell.layer_max_bytes': key(integer({ min: 1, max: 1024 ** 5, tighter: 'lower' }), {
    default: 4 * 1024 ** 3,
    unit: 'bytes',
    description: 'How much one command may change on its layer; beyond that nothing lands.',
  }),
  'tools.shell.layer_copy_max_bytes': key(integer({ min: 0, max: 1024 ** 5, tighter: 'lower' }), {
    default: 256 * 1024 ** 2,
    unit: 'bytes',
    description:
      'How large a workspace may be to be copied for each command where no overlay can be mounted; a larger one has no layer.',
  }),
  'tools.shell.layer_max_files': key(integer({ min: 1, max: 100_000_000, tighter: 'lower' }), {
    default: 200_000,
    description: 'How many files one command may change on its layer; beyond that nothing lands.',
  }),
} as const
