import { spawnSync } from 'node:child_process'
import { resolve, sep } from 'node:path'
import { pathOutside } from '../../../host/run/order-path.ts'

/** Editors that accept `+N` before the file. */
const TAKES_LINE = /(?:^|\/)(?:vim?|nvim|nano|emacs|emacsclient|kak|micro|joe|ed)$/

/**
 * Opens a workspace file in the user's editor; returns an error message, or null. The editor runs outside any sandbox, so it
 * is not looked up in the folders that models work in, nor are the programs that it starts.
 */
export function openInEditor(
  place: { readonly path: string; readonly line: number },
  roots: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const [root] = roots
  const file = resolve(root, place.path)
  if (!file.startsWith(root + sep)) return `${place.path} is outside the folder.`
  const wanted = env['VISUAL'] || env['EDITOR'] || ''
  const [program, ...words] = splitWords(wanted)
  if (program === undefined) return 'Set EDITOR to the editor to open files with.'
  const lines = place.line > 1 && TAKES_LINE.test(program) ? [`+${place.line}`] : []
  const end = spawnSync(program, [...words, ...lines, file], {
    stdio: 'inherit',
    env: { ...env, PATH: pathOutside(env['PATH'] ?? '', roots) || '/usr/bin:/bin' },
  })
  if (end.error !== undefined) return `Cannot start ${program}: ${end.error.message}`
  return null
}

/** Words as a shell would read them, so that a program's path may have blanks in quotes. */
function splitWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\]|['"\\])+/gs) ?? []
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"|\\(.)/gs,
      (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  )
}
