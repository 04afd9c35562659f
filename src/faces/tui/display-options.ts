import type { Settings } from '../../config/keys.ts'
import { createPaint, wantsColour } from '../../terminal/paint.ts'
import type { Paint } from '../../terminal/paint.ts'
import { isAsciiOnly } from './draw/ascii.ts'

/** How things are drawn on this terminal. */
export interface DisplayOptions {
  readonly paint: Paint
  readonly isAscii: boolean
  readonly isStill: boolean
  readonly hasMouse: boolean
}

/** The manner that the settings want, and the environment where they leave it open. */
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
  }
}
