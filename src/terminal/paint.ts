/** A text style. */
export type Style =
  | 'red'
  | 'green'
  | 'yellow'
  | 'cyan'
  | 'magenta'
  | 'dim'
  | 'bold'
  | 'inverse'
  | 'italic'
  | 'underline'

/** Styles text; leaves it plain if colours are off. */
export type Paint = (style: Style, text: string) => string

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
}

/** Whether the environment allows colours. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

/** Creates a painter. Inverse works without colours too, because it marks the selection. `mark` is put into each style. */
export function createPaint(hasColour: boolean, mark = ''): Paint {
  return (style, text) => {
    if (!hasColour && style !== 'inverse') return text
    const [on, off] = CODES[style]
    return `\u001b[${mark}${on}m${text}\u001b[${mark}${off}m`
  }
}
