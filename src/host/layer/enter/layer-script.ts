import { AS_EXPECTED } from '../../confine/listing-check.ts'
import { UPPER } from '../layer.ts'
import { overlayOptions } from './layer-mounts.ts'
import type { LayerMounts, ListedLayer, OverlayMount } from './layer-mounts.ts'

/** The programs that put a command on a layer, by their absolute paths. */
export interface LayerPrograms {
  readonly unshare: string
  readonly mount: string
  readonly sh: string
  readonly find: string
}

/** What the script reports if the workspace is not as it was looked at. */
export const CHANGED = 'changed'

/** The exit code of a script that did not start the command. */
const NOT_STARTED = 125

/** The descriptors that a script uses. */
export interface ScriptDescriptors {
  /** The first of three that it closes; all below 10, as shells name no others. */
  readonly firstFd: number
  readonly reportFd: number
}

/** The table of stand-ins that the script reads from its first descriptor, as Latin-1. */
export function tableOf({ stands }: LayerMounts): string {
  return stands.map(({ from, to }) => `${escape(from)} ${escape(to)} none bind,ro 0 0\n`).join('')
}

/** A path in the form of a table of file systems. */
function escape(latin1: string): string {
  return latin1.replace(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}

/** A script that mounts, checks what shows, and goes on with its arguments. */
export function scriptOf(
  { overlays, stands, listed, holes }: LayerMounts,
  programs: LayerPrograms,
  { firstFd: tableFd, reportFd }: ScriptDescriptors,
): string {
  const heldFd = tableFd + 1
  const listFd = heldFd + 1
  const held = `/proc/self/fd/${heldFd}`
  const find = `LC_ALL=C ${quote(programs.find)}`
  const mount = `${quote(programs.mount)} -n -c`
  // Without `volatile`, the end of a command would wait until the whole disk is written; older systems lack it.
  const mountOverlay = (overlay: OverlayMount): readonly string[] => {
    const options = overlayOptions(overlay, held, UPPER)
    return [
      `${mount} -t overlay -o volatile,${options} overlay ${quote(overlay.at)} 2>/dev/null ||`,
      `${mount} -t overlay -o ${options} overlay ${quote(overlay.at)} || exit ${NOT_STARTED}`,
    ]
  }
  // The table is read by then.
  const place = `/proc/self/fd/${tableFd}`
  /** Opens a place to mount something, unless a link has led elsewhere: nothing of a folder that others change is checked. */
  const openPlace = (at: string): readonly string[] => [
    `[ -e ${quote(at)} ] || changed`,
    `exec ${tableFd}<${quote(at)} || exit ${NOT_STARTED}`,
    `[ "$(${find} ${place} -maxdepth 0 -printf %l)" = ${quote(at)} ] || changed`,
  ]
  /** Whether the folder below the layer is still held when the layer is listed. */
  const isHeld = overlays.length === 1
  const lines = [
    `changed() { echo ${CHANGED} >&${reportFd}; exit ${NOT_STARTED}; }`,
    ...overlays.flatMap((overlay) => [
      `cd ${quote(overlay.folder)} || exit ${NOT_STARTED}`,
      // In the new namespace, as only what was opened there can be mounted.
      `exec ${heldFd}<${quote(overlay.from)} || exit ${NOT_STARTED}`,
      ...(isHeld || overlay.listedAs === null
        ? []
        : [`${find} -H ${held} -maxdepth 0 -printf '${overlay.listedAs}${ROOT_LINE}' >&${listFd}`]),
      ...mountOverlay(overlay),
    ]),
    ...(stands.length > 0 ? [`${mount} -a -T /proc/self/fd/${tableFd} 2>/dev/null || changed`] : []),
    `exec ${tableFd}<&-`,
    ...listed.flatMap((layer, at) => [
      `cd ${quote(layer.at)} || changed`,
      `${find} ${argumentsToList(layer, at, isHeld ? held : null)} >&${listFd} 2>/dev/null`,
    ]),
    `printf '\\0' >&${listFd}`,
    `read -r answer <&${listFd} && [ "$answer" = ${AS_EXPECTED} ] || changed`,
    `exec ${listFd}<&-`,
    ...holes.flatMap(({ from, identity, at, isWritable }) => [
      `exec ${heldFd}<${quote(from)} || exit ${NOT_STARTED}`,
      `[ "$(${find} -H ${held} -maxdepth 0 -printf %D:%i)" = '${identity}' ] || changed`,
      ...openPlace(at),
      `${mount} -o bind ${held} ${place} || changed`,
      // Opened again, as the descriptor is of what is below it now.
      ...openPlace(at),
      `[ "$(${find} -H ${place} -maxdepth 0 -printf %D:%i)" = '${identity}' ] || changed`,
      ...(isWritable ? [] : [`${mount} -o remount,bind,ro none ${place} || changed`]),
    ]),
    `exec ${heldFd}<&- ${tableFd}<&-`,
    'cd / && exec "$@"',
  ]
  return lines.join('\n')
}

/** Which folder was mounted, in the form of a line of a listing. */
const ROOT_LINE = 'r %D:%i\\0'

/**
 * The arguments with which `find` lists the layer it is started in, in the form of the lines of a look, and the folder
 * below the layer if it is `held`. Where no file has a stand-in, names and kinds of files are all there is to check, and
 * folders tell them: looking at each file would make the system build it on the layer, which takes longer than everything
 * else here.
 */
function argumentsToList(
  { isIdentified, hiddenFiles }: ListedLayer,
  index: number,
  held: string | null,
): string {
  const inode = isIdentified ? '%i ' : ''
  const hasFileMasks = hiddenFiles.length > 0
  const folders = [
    ...(held === null ? [] : [`-path ${held} -printf '${index}${ROOT_LINE}' -prune`]),
    '-path .',
    `-fstype overlay -printf '${index}d ${inode}%P\\0'`,
    `-printf '${index}D %i %P\\0'`,
  ]
  const kinds = [
    ['-type l', `l ${inode}%P`],
    ...(hasFileMasks ? ([['-type f -fstype overlay', 'f %P']] as const) : []),
    ['-type f', hasFileMasks ? 'm %i %P' : 'f %P'],
    // A folder tells `find` the kind of what lies under a stand-in: of a pipe or a socket, that is not a file.
    ...(hasFileMasks ? ([['! -fstype overlay', 'm %i %P']] as const) : []),
    ['', 'o %P'],
  ] as const
  const tests = kinds.map(([test, format]) => `${test} -printf '${index}${format}\\0'`)
  return `-H ${held ?? ''} . -xdev -type d \\( ${folders.join(' -o ')} \\) -o ${tests.join(' -o ')}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
