import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { pathOutside } from '../../../host/run/order-path.ts'
import { explainThrown } from '../explain-thrown.ts'

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
  return startEditor({ path: file, line: place.line }, roots, env)
}

/** Lets the user edit a text in their editor; what they saved, or an error message. */
export function editText(
  text: string,
  roots: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tongs-prompt-'))
  try {
    const path = join(folder, 'prompt.md')
    writeFileSync(path, text, { mode: 0o600 })
    const why = startEditor({ path, line: 1 }, roots, env)
    return why === null ? { ok: true, text: readFileSync(path, 'utf8').trimEnd() } : { ok: false, why }
  } catch (thrown) {
    return { ok: false, why: `The text could not be edited: ${explainThrown(thrown)}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function startEditor(
  { path: file, line }: { readonly path: string; readonly line: number },
  roots: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const wanted = env['VISUAL'] || env['EDITOR'] || ''
  const [program, ...words] = splitWords(wanted)
  if (program === undefined) return 'Set EDITOR to the editor to open files with.'
  const lines = line > 1 && TAKES_LINE.test(program) ? [`+${line}`] : []
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
