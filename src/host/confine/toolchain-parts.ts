import { basename, dirname, join } from 'node:path'
import { kindOrMissing } from './inspect-path.ts'
import { isBelow, isTooWide } from './mount.ts'

/** A part of a toolchain that commands may read. */
export interface ToolchainPart {
  readonly path: string
  /** Whether it holds only packages as they were published, and nothing personal. */
  readonly isPublished: boolean
  /** Whether names in it that begin with a dot are hidden: it is not a folder of programs alone. */
  readonly hidesDotNames: boolean
}

const PROGRAM_FOLDERS = new Set(['bin', 'sbin', 'shims'])

/** What programs in `bin` may need next to it, whatever they are. */
const USUAL_PARTS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'include', 'node_modules', 'vendor']
/** In a personal prefix, `share` also holds keyrings and the like. */
const PERSONAL_PARTS = ['share/fnm', 'share/mise', 'share/pipx', 'share/uv']

/** A kind of toolchain that needs more, and how it is recognised. */
interface Layout {
  readonly marker: string
  readonly parts: readonly string[]
  readonly published?: readonly string[]
}

const LAYOUTS: readonly Layout[] = [
  { marker: 'pyvenv.cfg', parts: ['pyvenv.cfg'] },
  {
    // pyenv, rbenv, nodenv, asdf and their kin.
    marker: 'shims',
    parts: [
      'shims',
      'versions',
      'installs',
      'plugins',
      'completions',
      'pyenv.d',
      'rbenv.d',
      'nodenv.d',
      'version',
    ],
  },
  { marker: 'bin/cargo', parts: [], published: ['registry', 'git'] },
  {
    marker: 'conda-meta',
    parts: ['conda-meta', 'condabin', 'envs', 'ssl', 'share', 'compiler_compat', 'x86_64-conda-linux-gnu'],
    published: ['pkgs'],
  },
  // Go itself, and where it keeps the modules that were downloaded.
  { marker: 'pkg/tool', parts: ['VERSION', 'go.env', 'src', 'misc', 'api', 'test'], published: ['pkg'] },
  { marker: 'pkg/mod', parts: [], published: ['pkg'] },
  // Java, and Maven.
  { marker: 'lib/modules', parts: ['release', 'conf', 'jmods', 'legal'] },
  { marker: 'jre/lib', parts: ['release', 'jre'] },
  { marker: 'boot', parts: ['boot', 'conf/logging'] },
  { marker: 'tools/image', parts: ['tools'] },
  { marker: 'Cellar', parts: ['opt', 'share', 'etc/ca-certificates'], published: ['Cellar'] },
]

/** Programs with further files in another part of the home folder. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  '.cargo/bin': ['.rustup/toolchains', '.rustup/settings.toml'],
  '.asdf/shims': ['.tool-versions'],
  '.local/share/mise/shims': ['.local/share/mise/installs'],
}

/** The parts of one entry of PATH outside the system; of its prefix only what holds programs, as secrets may lie next to it. */
export function partsOfEntry(entry: string, home: string): readonly ToolchainPart[] {
  if (isTooWide(entry) || isBelow(home, entry)) return []
  const prefix = dirname(entry)
  const isTop = prefix === '/' || dirname(prefix) === '/'
  const isProgramFolder = PROGRAM_FOLDERS.has(basename(entry))
  if (!isProgramFolder || isTop || isBelow(home, prefix))
    return [{ path: entry, isPublished: false, hidesDotNames: !isProgramFolder }]
  const layouts = LAYOUTS.filter(({ marker }) => kindOrMissing(join(prefix, marker)) !== 'missing')
  const isPersonal =
    dirname(prefix) === home || ['.config', '.local'].some((name) => isBelow(prefix, join(home, name)))
  const names = [
    basename(entry),
    ...USUAL_PARTS,
    ...(isPersonal ? PERSONAL_PARTS : ['share']),
    ...layouts.flatMap(({ parts }) => parts),
  ]
  const published = layouts.flatMap((layout) => layout.published ?? [])
  return [
    ...[...new Set(names)].map((name) => part(join(prefix, name), false)),
    ...published.map((name) => part(join(prefix, name), true)),
    ...companionsOf(entry, home).map((path) => part(path, false)),
  ]
}

function part(path: string, isPublished: boolean): ToolchainPart {
  return { path, isPublished, hidesDotNames: false }
}

function companionsOf(entry: string, home: string): readonly string[] {
  if (!isBelow(entry, home)) return []
  return (COMPANIONS[entry.slice(home.length + 1)] ?? []).map((path) => join(home, path))
}
