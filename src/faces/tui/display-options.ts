import type { Settings } from '../../config/keys.ts'
import { createPaint, wantsColour } from '../../terminal/paint.ts'
import type { Paint } from '../../terminal/paint.ts'
import { isAsciiOnly } from '../../terminal/ascii.ts'

/** Display options for this terminal. */
export interface DisplayOptions {
  readonly paint: Paint
  readonly isAscii: boolean
  readonly isStill: boolean
  readonly hasMouse: boolean
  /** Whether it draws below what the terminal shows, or on a screen of its own. */
  readonly isInline: boolean
}

/** Display options from the settings, with the environment as fallback. */
export function chooseDisplayOptions(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): DisplayOptions {
  const characters = settings['ui.characters']
  return {
    paint: createPaint(wantsColour(env)),
    isAscii: characters === 'ascii' || (characters === 'auto' && isAsciiOnly(env)),
    isStill: settings['ui.reduced_motion'],
    hasMouse: settings['ui.mouse'],
    isInline: settings['ui.screen'] === 'inline',
  }
}
