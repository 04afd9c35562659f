import { CHANGED } from '../../layer/enter/layer-script.ts'
import { REPORT_FD } from '../confinement.ts'
import type { HeldPlace } from './held-place.ts'
import { isBelow, orderMounts } from '../mount.ts'
import type { Mount } from '../mount.ts'

const NOT_STARTED = 125

/**
 * Words in front of a command that let it start only if what was judged, and what hides something in it, is mounted at its
 * place: while bubblewrap mounts, another process can lead it to another place of the sandbox by a link. None if
 * nothing was judged. Bubblewrap itself compares what it mounts there with the open descriptor.
 */
export function checkMounted(mounts: readonly Mount[], granted: readonly HeldPlace[]): readonly string[] {
  if (granted.length === 0) return []
  const shown = orderMounts(mounts).filter(({ at }) => granted.some(({ real }) => isBelow(at, real)))
  const hiding = shown.filter(({ kind }) => kind === 'hide-file' || kind === 'hide-folder')
  const held = shown.filter((mount) => 'identity' in mount || hiding.includes(mount)).map(({ at }) => at)
  // What is hidden has nothing in it.
  const wanted = held.filter((at) => !hiding.some((above) => above.at !== at && isBelow(at, above.at)))
  const lines = [
    `changed() { echo ${CHANGED} >&${REPORT_FD}; exit ${NOT_STARTED}; }`,
    'points=" "',
    'while read -r id parent device root point rest; do points="$points$point "; done </proc/self/mountinfo || changed',
    ...wanted.map((at) => `case "$points" in *${quote(` ${escape(at)} `)}*) ;; *) changed ;; esac`),
    'exec "$@"',
  ]
  return ['/bin/sh', '-c', lines.join('\n'), 'tongs']
}

/** A path as the system writes it into its table of mounts. */
function escape(path: string): string {
  return path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
