import { spellOut } from './spell-out.ts'

/** What stands for the signs of our own rows on a screen that shows ASCII only. */
export const ASCII_SIGNS: Readonly<Record<string, string>> = {
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

const BEYOND_ASCII = /[^\u0000-\u007f]/gu

/**
 * Text as an ASCII-only terminal gets it: such a terminal may take the bytes of a letter for controls. Ordinary letters are
 * spelled out as well.
 */
export function inAscii(text: string): string {
  return text.replace(BEYOND_ASCII, (character) => ASCII_SIGNS[character] ?? spellOut(character))
}

/** Whether a terminal is ASCII-only, by its locale and name. */
export function isAsciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['TERM'] === 'dumb') return true
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  )
  return locale !== undefined && !/utf-?8/i.test(locale)
}
