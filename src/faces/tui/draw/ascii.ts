import { visibleWidth } from '@earendil-works/pi-tui'

const SIGNS: Readonly<Record<string, string>> = {
  '─': '-',
  '━': '-',
  '│': '|',
  '┊': ':',
  '┃': '|',
  '█': '#',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '├': '+',
  '┤': '+',
  '┬': '+',
  '┴': '+',
  '┼': '+',
  '•': '*',
  '✓': '+',
  '✗': 'x',
  '⊘': '-',
  '…': '.',
  '·': '|',
  '»': '>',
  '↶': '<',
  '↑': '^',
  '↓': 'v',
  '→': '>',
  '⏎': '/',
  '⇥': '>',
  '⟨': '<',
  '⟩': '>',
  '␍': '/',
}

const BEYOND_ASCII = /[^\u0000-\u007f]+/g
const segmenter = new Intl.Segmenter()

/**
 * Text for an ASCII-only terminal. Every character keeps the width that the library gave it when it laid out the row,
 * so that nothing moves.
 */
export function toAscii(text: string): string {
  return text.replace(BEYOND_ASCII, (run) =>
    [...segmenter.segment(run)]
      .map(({ segment }) => SIGNS[segment] ?? '?'.repeat(Math.max(0, visibleWidth(segment))))
      .join(''),
  )
}

/** Whether a terminal is ASCII-only, by its locale and name. */
export function isAsciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['TERM'] === 'dumb') return true
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  )
  return locale !== undefined && !/utf-?8/i.test(locale)
}
