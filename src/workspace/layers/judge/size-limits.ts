import { LAYER_NAMED_FOLDERS } from '../../../config/fixed-values.ts'
import { failure } from '../../../core/error.ts'
import type { ToolFailure } from '../../../core/error.ts'
import { describeBytes } from '../../../core/text/describe-bytes.ts'
import { partsOf, showPath } from '../../../host/root/rel-path.ts'
import type { LayerSettings } from '../layer-deps.ts'

/** A file or link that would land. */
export interface SizedFile {
  /** For people and models. */
  readonly display: string
  readonly bytes: number
}

interface FolderSize {
  readonly folder: string
  bytes: number
  files: number
}

/** How deep the folders are that an error names. */
const NAMED_DEPTH = 2

/** Throws if more would land than the settings allow, naming where most of it lies. */
export function requireWithinLimits(files: readonly SizedFile[], settings: LayerSettings): void {
  const excess = findExcess(files, settings, 'ended')
  if (excess !== null) throw excess
}

/** When too much was found: at the end, while the command ran, or because it was filling the disk. */
type FoundWhen = 'ended' | 'running' | 'full'

/** The error that says that a command wrote more than it may; null if it did not. */
export function findExcess(
  files: readonly SizedFile[],
  { maxBytes, maxFiles }: Pick<LayerSettings, 'maxBytes' | 'maxFiles'>,
  when: FoundWhen,
): ToolFailure | null {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (when !== 'full' && files.length <= maxFiles && bytes <= maxBytes) return null
  const isTooMany = files.length > maxFiles
  const limit = isTooMany ? `${maxFiles} files` : describeBytes(maxBytes)
  const folders = biggestFolders(files, isTooMany ? 'files' : 'bytes')
  const named = folders.map(
    ({ folder, ...size }) => `${showPath(folder)} (${describeBytes(size.bytes)}, ${count(size.files)})`,
  )
  const changed = `${count(files.length)} with ${describeBytes(bytes)}`
  const bound = `and the limit is ${limit}`
  const what = {
    ended: `Nothing was landed: the command changed ${changed}, ${bound}.`,
    running: `The command was stopped, and nothing was landed: it had written ${changed}, ${bound}.`,
    full: `The command was stopped, and nothing was landed: the disk was almost full, and it had written ${changed}.`,
  }[when]
  return failure(
    when === 'full' ? 'resource_exhausted' : 'limit_exceeded',
    `${what} Most of it is in ${named.join(', ')}.`,
    {
      reason: 'LimitsExceeded',
      files: files.length,
      bytes,
      max_files: maxFiles,
      max_bytes: maxBytes,
      folders: folders.map(({ folder, ...size }) => ({ path: folder.toWellFormed(), ...size })),
    },
    [
      'Change less at a time, list what never has to land in tools.shell.throwaway, or ask the user to raise tools.shell.layer_max_files or tools.shell.layer_max_bytes.',
    ],
  )
}

function biggestFolders(files: readonly SizedFile[], by: 'bytes' | 'files'): readonly FolderSize[] {
  const sizes = new Map<string, FolderSize>()
  for (const { display, bytes } of files) {
    const parts = partsOf(display)
    const folder = parts.slice(0, Math.min(NAMED_DEPTH, parts.length - 1)).join('/') || '.'
    const size = sizes.get(folder) ?? { folder, bytes: 0, files: 0 }
    size.bytes += bytes
    size.files++
    sizes.set(folder, size)
  }
  return [...sizes.values()].toSorted((one, other) => other[by] - one[by]).slice(0, LAYER_NAMED_FOLDERS)
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`
}
