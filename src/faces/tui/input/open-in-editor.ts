import { spawnSync } from 'node:child_process'
import { resolve, sep } from 'node:path'

/** Editors that take the line as `+N` before the file. */
const TAKES_LINE = /(?:^|\/)(?:vim?|nvim|nano|emacs|emacsclient|kak|micro|joe|ed)$/

/** Opens a file of the workspace in the person's own editor; says what is wrong, or null. */
export function openInEditor(
  place: { readonly path: string; readonly line: number },
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const file = resolve(root, place.path)
  if (!file.startsWith(root + sep)) return `${place.path} lies outside of the folder.`
  const wanted = env['VISUAL'] || env['EDITOR'] || ''
  const [program, ...words] = splitWords(wanted)
  if (program === undefined) return 'Set EDITOR to the editor that files are to be opened with.'
  const lines = place.line > 1 && TAKES_LINE.test(program) ? [`+${place.line}`] : []
  const end = spawnSync(program, [...words, ...lines, file], { stdio: 'inherit' })
  if (end.error !== undefined) return `${program} cannot be started: ${end.error.message}`
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
